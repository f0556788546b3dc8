internal import CaptureModel

/// Reads the lines of a log, which may contain anything. A line is accepted only in the form in which it is written.
struct AuditParser {
    private var rest: ArraySlice<UInt8>

    private init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// - Parameter line: Without its line end.
    /// - Returns: nil unless the line is a record. Whether it follows from the record before is not checked.
    static func record(_ line: ArraySlice<UInt8>) -> AuditRecord? {
        guard line.count <= AuditRecord.lineLimit else { return nil }
        var parser = AuditParser(line)
        guard let record = parser.record(), parser.rest.isEmpty, record.line[...] == line else { return nil }
        return record
    }

    /// - Parameter line: The first line of a file, without its line end.
    /// - Returns: nil unless the line is a header.
    static func header(_ line: ArraySlice<UInt8>) -> AuditSegmentHeader? {
        guard line.count <= AuditRecord.lineLimit else { return nil }
        var parser = AuditParser(line)
        guard parser.skip("{\"audit\":1,\"first\":"), let first = parser.number(), parser.skip(",\"previous\":"),
            let previous = parser.text().flatMap({ ContentDigest($0) })
        else { return nil }
        let header = AuditSegmentHeader(first: first, previous: previous)
        return header.line[...] == line ? header : nil
    }

    private mutating func record() -> AuditRecord? {
        guard skip("{\"chain\":"), let chain = text().flatMap({ ContentDigest($0) }),
            skip(",\"details\":"), let details = texts(),
            skip(",\"fingerprint\":"), let fingerprint = text(),
            skip(",\"kind\":"), let kind = text(),
            skip(",\"principal\":"), let principal = text(),
            skip(",\"sequence\":"), let sequence = number(),
            skip(",\"subject\":"), let subject = text(),
            skip(",\"time\":"), let time = text(), Self.isTime(time), skip("}")
        else { return nil }
        let entry = AuditEntry(
            AuditKind(rawValue: kind), by: AuditPrincipal(name: principal, fingerprint: fingerprint),
            subject: subject, details: details)
        return AuditRecord(sequence: sequence, time: time, entry: entry, chain: chain)
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func number() -> UInt64? {
        let digits = rest.prefix(while: Self.isDigit)
        guard let number = UInt64(String(decoding: digits, as: UTF8.self)),
            (1...AuditRecord.sequenceLimit).contains(number)
        else { return nil }
        rest = rest.dropFirst(digits.count)
        return number
    }

    private mutating func texts() -> [String: String]? {
        guard skip("{") else { return nil }
        var texts: [String: String] = [:]
        while !skip("}") {
            guard texts.isEmpty || skip(","), let key = text(), skip(":"), let value = text() else { return nil }
            guard texts.updateValue(value, forKey: key) == nil else { return nil }
        }
        return texts
    }

    private mutating func text() -> String? {
        guard skip("\"") else { return nil }
        var bytes: [UInt8] = []
        while true {
            let plain = rest.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            bytes += plain
            rest = rest[plain.endIndex...]
            guard let byte = rest.popFirst() else { return nil }
            guard byte == UInt8(ascii: "\\") else { return String(validating: bytes, as: UTF8.self) }
            guard let scalar = escape(), let encoded = UTF8.encode(scalar) else { return nil }
            bytes += encoded
        }
    }

    /// Reads the rest of an escape.
    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = rest.popFirst() else { return nil }
        guard byte == UInt8(ascii: "u") else { return Unicode.Scalar(byte) }
        defer { rest = rest.dropFirst(4) }
        return UInt32(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
    }

    /// Whether a text has the form `2026-11-25T18:01:05.123Z`.
    private static func isTime(_ text: String) -> Bool {
        let form = "0000-00-00T00:00:00.000Z".utf8
        return text.utf8.count == form.count
            && zip(text.utf8, form).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
