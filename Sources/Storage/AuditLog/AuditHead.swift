public import CaptureModel
internal import OpenSSL

/// The end of a log: the number and the chain hash of its newest record. The hash depends on every record before it in its chain, so
/// somebody who keeps it elsewhere can later tell whether the log was cut back or rewritten.
///
/// As text: `18-HASH-CHECK`, where CHECK guards against typing errors: the first four digits of the SHA-256 of `18-HASH`.
public struct AuditHead: Hashable, Sendable, LosslessStringConvertible {
    /// 0 before the first record.
    public let sequence: UInt64
    public let hash: ContentDigest

    init(sequence: UInt64, hash: ContentDigest) {
        self.sequence = sequence
        self.hash = hash
    }

    /// Parses an exported head. Blanks around it are ignored.
    /// - Returns: nil unless the text is complete and without typing errors.
    public init?(_ description: String) {
        let words = description.split(whereSeparator: \.isWhitespace)
        guard words.count == 1 else { return nil }
        let parts = words[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let sequence = UInt64(parts[0]), sequence <= AuditRecord.sequenceLimit,
            let hash = ContentDigest(String(parts[1]))
        else { return nil }
        self.init(sequence: sequence, hash: hash)
        guard self.description == words[0] else { return nil }
    }

    public var description: String {
        let text = "\(sequence)-\(hash)"
        return "\(text)-\(ContentDigest(SHA256.hash(Array(text.utf8))).description.prefix(4))"
    }

    /// The head of a log without records.
    static let empty = AuditHead(sequence: 0, hash: .beforeChain)
}
