internal import CaptureModel
internal import FoundationEssentials
internal import RigSecurity

/// The JSON document in which a ``KeyRegistry`` is stored. It contains no secret: of tokens only hashes.
///
/// | member | content |
/// |---|---|
/// | `schemaVersion` | 1 |
/// | `revision` | ``KeyRegistry/revision`` |
/// | `keys` | ``KeyRecord``, in the order of ``KeyRegistry/keys`` |
/// | `invitations` | ``Invitation``, the oldest first; without `redeemed`, `withdrawn` and `expired` it is pending |
/// | `sessions` | ``Session``, the oldest first; absent if there are none |
///
/// Times are nanoseconds of the coordinator's wall clock since 1970. Keys and hashes are base64. Members that are absent
/// are optional. Requests for approval are not stored.
public enum KeyRegistryDocument {
    public static let currentSchemaVersion = 1
    /// The longest document that is read, in bytes. The limits of a registry keep it far below.
    public static let longest = 16 << 20
    /// The largest revision that is read: other readers of JSON do not keep larger numbers.
    private static let largestRevision: UInt64 = 1 << 53

    /// Returns the document of a registry: members are sorted, each on its own line.
    /// - Throws: `unencodable`.
    public static func encoded(_ registry: KeyRegistry) throws(AccessError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(RegistryContent(registry))) + [UInt8(ascii: "\n")]
        } catch {
            throw AccessError(
                .unencodable, "write", "registry of keys", "the registry of keys cannot be written: \(error)",
                remedy: "report this error")
        }
    }

    /// Returns the registry of a document, which stays as it is.
    /// - Throws: `damagedDocument` or `newerDocument`. The caller must not write a document over the one that it could
    ///   not read: it ends, and names the file.
    public static func decode(
        _ bytes: [UInt8], limits: KeyRegistry.Limits = KeyRegistry.Limits()
    ) throws(AccessError) -> KeyRegistry {
        struct Version: Decodable {
            var schemaVersion: Int
        }
        guard bytes.count <= longest else { throw damaged("it has \(bytes.count) bytes, more than any registry") }
        let data = Data(bytes)
        let content: RegistryContent
        do {
            let version = try JSONDecoder().decode(Version.self, from: data).schemaVersion
            guard version <= currentSchemaVersion else { throw newer(version) }
            guard version >= 1 else { throw damaged("there is no schema version \(version)") }
            content = try JSONDecoder().decode(RegistryContent.self, from: data)
        } catch let error as AccessError {
            throw error
        } catch {
            throw damaged("\(error)")
        }
        guard content.revision <= largestRevision else {
            throw damaged("its revision \(content.revision) is too large")
        }
        do {
            return try KeyRegistry(content, limits: limits)
        } catch {
            throw damaged(error.reason)
        }
    }

    private static func damaged(_ reason: String) -> AccessError {
        AccessError(
            .damagedDocument, "read", "registry of keys", "it is not a registry of keys: \(reason)",
            remedy: "restore it from a copy; it was not changed. Without it, every machine has to join again")
    }

    private static func newer(_ version: Int) -> AccessError {
        AccessError(
            .newerDocument, "read", "registry of keys",
            "it has schema version \(version), and this program reads up to \(currentSchemaVersion)",
            remedy: "use the version of this program that wrote it; it was not changed")
    }
}

extension KeyRegistry {
    /// Restores a registry.
    fileprivate init(_ content: RegistryContent, limits: Limits) throws(KeyRing.BrokenRule) {
        try self.init(
            revision: content.revision,
            keys: try content.keys.map { key throws(KeyRing.BrokenRule) in try key.record },
            invitations: try content.invitations.map { entry throws(KeyRing.BrokenRule) in try entry.invitation },
            sessions: try (content.sessions ?? []).map { entry throws(KeyRing.BrokenRule) in try entry.session },
            limits: limits)
    }
}
