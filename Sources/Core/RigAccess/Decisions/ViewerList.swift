public import CaptureModel
internal import FoundationEssentials
public import RigSecurity

/// The keys that may watch a node, as the coordinator has sent them. The node enforces them while the coordinator is away, but not for ever: a
/// coordinator that could not be reached may have revoked some of them.
public struct ViewerList: Hashable, Sendable {
    /// How long a list is enforced after the coordinator has sent it last. Then nobody may watch.
    public static let lifetime = Duration.seconds(86_400)

    public var revision: UInt64
    public var holders: [KeyHolder]
    /// When the coordinator has sent it last, by the node's wall clock.
    public var confirmedAt: WallTime

    public init(revision: UInt64, holders: [KeyHolder], confirmedAt: WallTime) {
        self.revision = revision
        self.holders = holders
        self.confirmedAt = confirmedAt
    }

    /// The list before the coordinator has sent one: nobody may watch.
    public static let none = ViewerList(revision: 0, holders: [], confirmedAt: WallTime(nanoseconds: 0))

    /// Returns how old a list is that an earlier run has stored. A list of the future, which a wall clock that was set back makes of any,
    /// counts as one whose time has passed.
    public func age(at now: WallTime) -> Duration {
        let age = now - confirmedAt
        return age < .zero ? Self.lifetime : min(age, Self.lifetime)
    }

    /// The decisions while the list is enforced.
    public var snapshot: AccessSnapshot { AccessSnapshot(revision: revision, holders: holders) }

    /// The decisions when its time has passed.
    public var expired: AccessSnapshot { AccessSnapshot(revision: revision, holders: []) }
}

/// The JSON document in which a node stores its ``ViewerList``. It contains no secret.
///
/// | member | content |
/// |---|---|
/// | `schemaVersion` | 1 |
/// | `revision` | ``ViewerList/revision`` |
/// | `confirmedAtNanoseconds` | ``ViewerList/confirmedAt``, nanoseconds since 1970 |
/// | `holders` | `name`, `role` and `key` (base64) of each |
public enum ViewerListDocument {
    public static let currentSchemaVersion = 1
    /// The longest document that is read, in bytes.
    public static let longest = 4 << 20

    private struct Content: Codable {
        struct Holder: Codable {
            var name: KeyName
            var role: Role
            var key: PublicKey
        }

        var schemaVersion = ViewerListDocument.currentSchemaVersion
        var revision: UInt64
        var confirmedAtNanoseconds: Int64
        var holders: [Holder]
    }

    /// - Throws: `unencodable`.
    public static func encoded(_ list: ViewerList) throws(AccessError) -> [UInt8] {
        let content = Content(
            revision: list.revision, confirmedAtNanoseconds: list.confirmedAt.nanoseconds,
            holders: list.holders.map { Content.Holder(name: $0.name, role: $0.role, key: $0.key) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(content)) + [UInt8(ascii: "\n")]
        } catch {
            throw AccessError(
                .unencodable, "write", "list of viewers", "the list of viewers cannot be written: \(error)",
                remedy: "report this error")
        }
    }

    /// - Throws: `damagedDocument` or `newerDocument`.
    public static func decode(_ bytes: [UInt8]) throws(AccessError) -> ViewerList {
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(bytes))
        } catch {
            throw AccessError(
                .damagedDocument, "read", "list of viewers", "it is not a list of viewers: \(error)",
                remedy: "the coordinator sends it again")
        }
        guard content.schemaVersion == currentSchemaVersion else {
            throw AccessError(
                .newerDocument, "read", "list of viewers",
                "it has schema version \(content.schemaVersion), and this program reads \(currentSchemaVersion)",
                remedy: "the coordinator sends it again")
        }
        return ViewerList(
            revision: content.revision,
            holders: content.holders.map { KeyHolder(name: $0.name, role: $0.role, key: $0.key) },
            confirmedAt: WallTime(nanoseconds: content.confirmedAtNanoseconds))
    }
}
