internal import CaptureModel

/// A record of a journal file: one line of text that a person can read and any program can check.
///
/// ```
/// CEJ2 00000117 3d0c9a51 opens 00f3a1c2b4d5e697 42 0195c0de-…_north/cam1 {"name":"capture.willBeginCapture",…}
/// ```
///
/// | field | form |
/// |---|---|
/// | version | `CEJ2` |
/// | length | number of bytes after the checksum and its space, up to the line feed; 8 hexadecimal digits |
/// | checksum | CRC-32 of these bytes; 8 hexadecimal digits |
/// | kind | a word of ``Kind`` |
/// | epoch | 16 hexadecimal digits |
/// | sequence | decimal |
/// | lifetime | name of what the event opens or closes, without spaces; only for `opens` and `close` |
/// | document | the event (``JournalEventDocument``); only for `event`, `opens` and `close` |
///
/// Fields are separated by one space each. ``EventRecordVersion1`` reads records of version 1.
struct EventRecord: Equatable {
    enum Kind: String, CaseIterable {
        case event
        /// An event that opens a lifetime (``EventLifetime``).
        case opening = "opens"
        /// An event that closes a lifetime.
        case closing = "close"
        /// Every event of the epoch up to the sequence is acknowledged.
        case acknowledgement = "acked"
        /// The process of the epoch began after all records before this one; sequence 0.
        case beginning = "begun"

        var hasLife: Bool { self == .opening || self == .closing }
        var isEvent: Bool { self == .event || hasLife }
    }

    var kind: Kind
    var position: EventPosition
    var lifetime = ""
    /// The bytes of the document, which may be unreadable.
    var document: [UInt8] = []

    private static let version = Array("CEJ2 ".utf8)
    private static let digits = 8
    /// The bytes of version, length and checksum, each with the space after it.
    private static let headerCount = version.count + 2 * (digits + 1)

    var bytes: [UInt8] {
        let content = content
        var bytes = Self.version
        bytes.reserveCapacity(Self.headerCount + content.count + 1)
        for number in [UInt32(clamping: content.count), CRC32(content).value] {
            bytes += Self.hexadecimal(number) + [UInt8(ascii: " ")]
        }
        return bytes + content + [UInt8(ascii: "\n")]
    }

    private var content: [UInt8] {
        var content = Array("\(kind.rawValue) \(position.epoch) \(position.sequence)".utf8)
        if kind.hasLife { content += " \(lifetime)".utf8 }
        if kind.isEvent { content += [UInt8(ascii: " ")] + document }
        return content
    }

    /// Returns every complete record of a file, of either version, and the number of places that contain something else.
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
                // Whatever is broken here, version and checksum identify the next complete record.
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
            guard let lifetime = word(&rest) else { return nil }
            record.lifetime = lifetime
        }
        record.document = Array(rest)
        return record
    }

    /// Removes and returns the first word and the space after it.
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

/// The effect of an event on something that lasts, such as a capture. A journal knows what was opened and not closed, even after a crash.
public enum EventLifetime: Hashable, Sendable {
    /// The event begins the thing of this name.
    case opens(String)
    /// The event ends the thing of this name.
    case closes(String)

    /// The name as stored in a record: at most 255 bytes, with `_` for each byte that is not a visible ASCII character.
    var name: String {
        switch self {
        case .opens(let name), .closes(let name):
            String(
                decoding: name.utf8.prefix(255).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "_") },
                as: UTF8.self)
        }
    }

    var kind: EventRecord.Kind {
        switch self {
        case .opens: .opening
        case .closes: .closing
        }
    }
}

/// Something that was opened and not closed.
struct OpenLifetime {
    /// The event that opened it.
    var event: JournaledEvent
    /// The number of the file that contains the event. The file is kept while the lifetime is open.
    var segment: UInt64
}

/// Reads records of version 1, so that a journal from an earlier release is delivered completely: `CEJ1`, kind (1 byte), epoch, sequence (8
/// bytes each), payload length (4 bytes), payload, CRC-32 of everything from kind to payload. Numbers are little-endian.
///
/// | kind | payload |
/// |---|---|
/// | 1, event | protobuf (``EventVersion1``) |
/// | 2, acknowledgement | – |
/// | 3, 4: opens, closes a lifetime | length of the lifetime's name (1 byte), the name, protobuf |
/// | 5, beginning | – |
enum EventRecordVersion1 {
    private static let version = Array("CEJ1".utf8)
    private static let headerCount = 25
    private static let kinds: [EventRecord.Kind] = [.event, .acknowledgement, .opening, .closing, .beginning]

    /// Returns the record at the beginning of the bytes, and its length in bytes; nil if they begin with something else.
    static func record(at bytes: ArraySlice<UInt8>, _ sums: CRC32Index) -> (EventRecord, Int)? {
        guard bytes.starts(with: version), bytes.count >= headerCount + 4 else { return nil }
        let start = bytes.startIndex
        let count = Int(bytes.littleEndian(UInt32.self, at: start + 21))
        let end = start + headerCount + count
        let number = Int(bytes[start + 4])
        guard end + 4 <= bytes.endIndex,
            bytes.littleEndian(UInt32.self, at: end) == sums.checksum(of: (start + version.count)..<end),
            kinds.indices.contains(number - 1),
            let epoch = Epoch(rawValue: bytes.littleEndian(UInt64.self, at: start + 5))
        else { return nil }
        let position = EventPosition(epoch: epoch, sequence: bytes.littleEndian(UInt64.self, at: start + 13))
        let payload = bytes[(start + headerCount)..<end]
        return (record(kinds[number - 1], position, payload), headerCount + count + 4)
    }

    private static func record(
        _ kind: EventRecord.Kind, _ position: EventPosition, _ payload: ArraySlice<UInt8>
    ) -> EventRecord {
        switch kind {
        case .acknowledgement, .beginning:
            return EventRecord(kind: kind, position: position)
        case .event:
            return EventRecord(kind: kind, position: position, document: document(payload))
        case .opening, .closing:
            guard let count = payload.first.map(Int.init), payload.count > count else {
                // Without a lifetime it is still an event, and keeps its number.
                return EventRecord(kind: .event, position: position, document: document(payload))
            }
            let name = String(decoding: payload.dropFirst().prefix(count), as: UTF8.self)
            return EventRecord(
                kind: kind, position: position, lifetime: EventLifetime.opens(name).name,
                document: document(payload.dropFirst(1 + count)))
        }
    }

    /// Returns bytes that are not an event unchanged, so that their reader reports it.
    private static func document(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        EventVersion1.document(payload)?.bytes ?? Array(payload)
    }
}

extension ArraySlice<UInt8> {
    /// Reads a number. The caller has checked that its bytes are present.
    func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type, at index: Int) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(self[index + $1]) << (8 * $1) }
    }
}
