/// Something that happened, as it is handed to an ``AuditLog``. The log adds its time and its sequence number.
///
/// Every text is bounded: a longer one is cut and ends with `…`. A peer may therefore choose any of them.
public struct AuditEntry: Hashable, Sendable {
    /// The most bytes of UTF-8 of a subject.
    static let subjectLimit = 256
    static let detailLimit = 12
    static let detailKeyLimit = 48
    static let detailValueLimit = 256

    public let kind: AuditKind
    /// Who caused it.
    public let principal: AuditPrincipal
    /// What it concerns: a shot, a device, a key, a channel.
    public let subject: String
    /// Further facts by name; at most 12. If there are more, those of the greatest names are left out, and `…` says how many.
    public let details: [String: String]

    public init(
        _ kind: AuditKind, by principal: AuditPrincipal = .none, subject: String, details: [String: String] = [:]
    ) {
        self.kind = kind
        self.principal = principal
        self.subject = subject.bounded(Self.subjectLimit)
        self.details = Self.bounded(details)
    }

    private static func bounded(_ details: [String: String]) -> [String: String] {
        let sorted = details.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let kept = sorted.count > detailLimit ? sorted.prefix(detailLimit - 1) : sorted[...]
        var bounded = Dictionary(
            kept.map { ($0.key.bounded(detailKeyLimit), $0.value.bounded(detailValueLimit)) },
            uniquingKeysWith: { first, _ in first })
        if kept.count < sorted.count { bounded["…"] = "\(sorted.count - kept.count) more" }
        return bounded
    }

    /// The approximate length of its record: exact but for escapes, which make a byte six.
    var byteCount: Int {
        [kind.rawValue, principal.name, principal.fingerprint, subject].reduce(300) { $0 + $1.utf8.count }
            + details.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 6 }
    }
}

/// What happened. A log may contain kinds that this program does not know.
public struct AuditKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// At most 64 bytes.
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue.bounded(64)
    }

    public var description: String { rawValue }

    /// A key was admitted, or got a role.
    public static let admission = AuditKind(rawValue: "admission")
    /// A connection or a request was refused.
    public static let refusal = AuditKind(rawValue: "refusal")
    /// A key lost its rights.
    public static let revocation = AuditKind(rawValue: "revocation")
    /// A shot or a take was requested.
    public static let trigger = AuditKind(rawValue: "trigger")
    /// A setting, a name or a key was changed.
    public static let change = AuditKind(rawValue: "change")
    /// Something stored was deleted.
    public static let deletion = AuditKind(rawValue: "deletion")
    /// A program began to work.
    public static let start = AuditKind(rawValue: "start")
    /// A program ended in order.
    public static let end = AuditKind(rawValue: "end")
    /// By the log itself: records were dropped because too many waited for the disk.
    public static let lost = AuditKind(rawValue: "log.lost")
    /// By the log itself: an incomplete record at the end was cut off.
    public static let recovered = AuditKind(rawValue: "log.recovered")
    /// By the log itself: the records before are damaged, and a new chain begins.
    public static let restarted = AuditKind(rawValue: "log.restarted")
}

/// Who caused an entry.
public struct AuditPrincipal: Hashable, Sendable {
    /// A name, or empty if there is none. At most 128 bytes.
    public let name: String
    /// The fingerprint of the key, or empty if there is none. At most 128 bytes.
    public let fingerprint: String

    public init(name: String, fingerprint: String) {
        self.name = name.bounded(128)
        self.fingerprint = fingerprint.bounded(128)
    }

    /// Nobody in particular, such as the program itself.
    public static let none = AuditPrincipal(name: "", fingerprint: "")
}

extension String {
    /// Returns the text, or its beginning followed by `…`, in at most `limit` bytes of UTF-8.
    func bounded(_ limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var kept = String.UnicodeScalarView()
        var room = limit - "…".utf8.count
        for scalar in unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            kept.append(scalar)
        }
        return String(kept) + "…"
    }
}
