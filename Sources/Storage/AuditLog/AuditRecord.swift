public import CaptureModel
internal import OpenSSL
internal import PosixSupport

/// An entry as it is stored: with its number, its time and its link to the record before it.
///
/// A record is one line of JSON in one fixed form, so that there is exactly one text for its content:
///
///     {"chain":"…","details":{"address":"192.168.10.7"},"fingerprint":"","kind":"refusal","principal":"",
///      "sequence":18,"subject":"control","time":"2026-11-25T18:01:05.123Z"}
///
/// on one line and without blanks. `chain` is the SHA-256 of the chain hash of the record before, as 64 hexadecimal digits,
/// followed by this line without its member `chain` and without its line end.
public struct AuditRecord: Hashable, Sendable {
    /// Counted from 1.
    public let sequence: UInt64
    /// The wall clock when the entry was handed to the log: RFC 3339 in UTC with milliseconds. It may step back, as that clock does.
    public let time: String
    public let entry: AuditEntry
    /// The hash that links this record to the one before.
    public let chain: ContentDigest

    /// The highest sequence number. JSON readers in other languages read integers up to it exactly.
    static let sequenceLimit: UInt64 = 1 << 53
    /// The most bytes of a line. A record is shorter, whatever its texts contain.
    static let lineLimit = 32 << 10
    /// The fewest bytes of a record and its line end.
    static let lineMinimum = 180

    init(sequence: UInt64, time: String, entry: AuditEntry, chain: ContentDigest) {
        self.sequence = sequence
        self.time = time
        self.entry = entry
        self.chain = chain
    }

    /// Creates the record that follows `head`.
    /// - Parameter realtimeNanoseconds: `CLOCK_REALTIME`, nanoseconds since 1970.
    init(_ entry: AuditEntry, realtimeNanoseconds: Int64, after head: AuditHead) {
        sequence = head.sequence + 1
        time = UTCDate(realtimeNanoseconds: realtimeNanoseconds).description.prefix(23) + "Z"
        self.entry = entry
        chain = Self.chain(after: head.hash, Self.content(sequence, time, entry))
    }

    /// The line without its line end.
    var line: [UInt8] {
        Array("{\"chain\":\"\(chain)\",".utf8) + Self.content(sequence, time, entry).dropFirst()
    }

    /// Whether this record follows a record with the chain hash `previous`.
    func follows(_ previous: ContentDigest) -> Bool {
        chain == Self.chain(after: previous, Self.content(sequence, time, entry))
    }

    /// This record as the end of a log.
    var head: AuditHead { AuditHead(sequence: sequence, hash: chain) }

    private static func chain(after previous: ContentDigest, _ content: [UInt8]) -> ContentDigest {
        var hash = SHA256()
        hash.update(Array(previous.description.utf8))
        hash.update(content)
        return ContentDigest(hash.finalize())
    }

    /// The bytes of the line without its member `chain`.
    private static func content(_ sequence: UInt64, _ time: String, _ entry: AuditEntry) -> [UInt8] {
        var bytes = Array("{\"details\":{".utf8)
        let details = entry.details.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, detail) in details.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.appendJSON(detail.key)
            bytes.append(UInt8(ascii: ":"))
            bytes.appendJSON(detail.value)
        }
        for (key, value) in [
            ("},\"fingerprint\":", entry.principal.fingerprint), (",\"kind\":", entry.kind.rawValue),
            (",\"principal\":", entry.principal.name),
        ] {
            bytes += key.utf8
            bytes.appendJSON(value)
        }
        bytes += ",\"sequence\":\(sequence),\"subject\":".utf8
        bytes.appendJSON(entry.subject)
        bytes += ",\"time\":".utf8
        bytes.appendJSON(time)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}

extension ContentDigest {
    /// The chain hash before the first record of a chain: 64 zeros.
    static let beforeChain: ContentDigest = {
        guard let digest = ContentDigest(bytes: [UInt8](repeating: 0, count: 32)) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return digest
    }()

    init(_ digest: [UInt8]) {
        guard let digest = ContentDigest(bytes: digest) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        self = digest
    }
}

extension [UInt8] {
    /// Appends a text as a JSON string. `"` and `\` get a backslash. Controls, separators of lines and characters that
    /// change the direction of text become `\uXXXX` with lower-case digits, so that a record stays one line, and a terminal shows it as it
    /// is written. Everything else is UTF-8.
    fileprivate mutating func appendJSON(_ text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy(Self.isPlain) { self += text.utf8 } else { appendEscaped(text) }
        append(UInt8(ascii: "\""))
    }

    /// Whether an ASCII character of a text is written as it is.
    private static func isPlain(_ character: UInt8) -> Bool {
        character >= 0x20 && character < 0x7F && character != 0x22 && character != 0x5C
    }

    private mutating func appendEscaped(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22, 0x5C:
                append(UInt8(ascii: "\\"))
                append(UInt8(scalar.value))
            case _ where scalar.isUnprintable: self += scalar.shortEscape.utf8
            default: self += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
    }
}
