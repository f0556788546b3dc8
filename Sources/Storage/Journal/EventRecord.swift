internal import CaptureModel

/// A record of a journal file: one line of text, which a person can read and any program can check.
///
/// ```
/// CEJ2 00000117 3d0c9a51 opens 00f3a1c2b4d5e697 42 0195c0de-…_north/cam1 {"name":"capture.willBeginCapture",…}
/// ```
///
/// | field | form |
/// |---|---|
/// | version | `CEJ2` |
/// | length | bytes of what follows the checksum and its space, up to the line feed; 8 hexadecimal digits |
/// | checksum | CRC-32 of these bytes; 8 hexadecimal digits |
/// | kind | a word of ``Kind`` |
/// | epoch | 16 hexadecimal digits |
/// | sequence | decimal |
/// | life | what an event opens or closes, without spaces; only of `opens` and `close` |
/// | document | the event (``EventDocument``); only of `event`, `opens` and `close` |
///
/// Fields are separated by one space each. Records of version 1 are read by ``EventRecordVersion1``.
struct EventRecord: Equatable {
    enum Kind: String, CaseIterable {
        case event
        /// An event that opens a life (``EventLife``).
        case opening = "opens"
        /// An event that closes a life.
        case closing = "close"
        /// Every event of the epoch up to the sequence is acknowledged.
        case acknowledgement = "acked"
        /// The process of the epoch began behind everything that stands before; sequence 0.
        case beginning = "begun"

        var hasLife: Bool { self == .opening || self == .closing }
        var isEvent: Bool { self == .event || hasLife }
    }

    var kind: Kind
    var position: EventPosition
    var life = ""
    /// The bytes of the document; not necessarily ones that can be read.
    var document: [UInt8] = []

    private static let version = Array("CEJ2 ".utf8)
    private static let digits = 8
    /// Version, length and checksum, with the space behind each.
    private static let headerCount = version.count + 2 * (digits + 1)

    var bytes: [UInt8] {
        let content = content
        var bytes = Self.version
        bytes.reserveCapacity(Self.headerCount + content.count + 1)
        for number in [UInt32(clamping: content.count), CRC32.checksum(content)] {
            bytes += Self.hexadecimal(number) + [UInt8(ascii: " ")]
        }
        return bytes + content + [UInt8(ascii: "\n")]
    }

    private var content: [UInt8] {
        var content = Array("\(kind.rawValue) \(position.epoch) \(position.sequence)".utf8)
        if kind.hasLife { content += " \(life)".utf8 }
        if kind.isEvent { content += [UInt8(ascii: " ")] + document }
        return content
    }

    /// Every whole record of a file, of either version, and at how many places there was something else.
    static func parse(_ bytes: [UInt8]) -> (records: [EventRecord], damaged: UInt64) {
        var records: [EventRecord] = []
        var damaged: UInt64 = 0
        var offset = 0
        var isDamaged = false
        let sums = CRC32Index(bytes)
        while offset < bytes.count {
            let rest = bytes[offset...]
            if let (record, count) = record(at: rest, sums) ?? EventRecordVersion1.record(at: rest, sums) {
                records.append(record)
                offset += count
                isDamaged = false
            } else {
                // Whatever is broken here, the next whole record shows itself by its version and checksum.
                if !isDamaged { damaged += 1 }
                isDamaged = true
                offset += 1
            }
        }
        return (records, damaged)
    }

    private static func record(at bytes: ArraySlice<UInt8>, _ sums: CRC32Index) -> (EventRecord, Int)? {
        guard bytes.starts(with: version), bytes.count > headerCount else { return nil }
        let start = bytes.startIndex + headerCount
        let length = bytes.startIndex + version.count
        let checksum = length + digits + 1
        let spaces = [checksum - 1, start - 1]
        guard let count = number(bytes[length..<length + digits]), bytes.endIndex - start > count,
            spaces.allSatisfy({ bytes[$0] == UInt8(ascii: " ") })
        else { return nil }
        let end = start + Int(count)
        guard bytes[end] == UInt8(ascii: "\n"),
            number(bytes[checksum..<checksum + digits]) == sums.checksum(of: start..<end),
            let record = EventRecord.read(bytes[start..<end]), record.content == Array(bytes[start..<end])
        else { return nil }
        return (record, end + 1 - bytes.startIndex)
    }

    private static func read(_ content: ArraySlice<UInt8>) -> EventRecord? {
        var rest = content
        guard let kind = word(&rest).flatMap(Kind.init(rawValue:)),
            let epoch = word(&rest).flatMap({ UInt64($0, radix: 16) }).flatMap(Epoch.init(rawValue:)),
            let sequence = word(&rest).flatMap({ UInt64($0) })
        else { return nil }
        var record = EventRecord(kind: kind, position: EventPosition(epoch: epoch, sequence: sequence))
        if kind.hasLife {
            guard let life = word(&rest) else { return nil }
            record.life = life
        }
        record.document = Array(rest)
        return record
    }

    /// Takes the first word and the space behind it.
    private static func word(_ bytes: inout ArraySlice<UInt8>) -> String? {
        let word = bytes.prefix { $0 != UInt8(ascii: " ") }
        bytes = bytes[word.endIndex...].dropFirst()
        return String(validating: word, as: UTF8.self)
    }

    private static func hexadecimal(_ number: UInt32) -> [UInt8] {
        let text = String(number, radix: 16)
        return [UInt8](repeating: UInt8(ascii: "0"), count: digits - text.utf8.count) + text.utf8
    }

    /// - Returns: nil unless the bytes are lower-case hexadecimal digits.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        UInt32(String(decoding: bytes, as: UTF8.self), radix: 16).flatMap {
            hexadecimal($0).elementsEqual(bytes) ? $0 : nil
        }
    }
}
