internal import CaptureModel

/// Reads records as they were written before version 2, so that a journal of then is delivered to its end: `CEJ1`, kind
/// (1 byte), epoch, sequence (8 bytes each), payload length (4 bytes), payload, CRC-32 of all from kind to payload. Numbers
/// are little-endian.
///
/// | kind | payload |
/// |---|---|
/// | 1, event | protobuf (``EventVersion1``) |
/// | 2, acknowledgement | – |
/// | 3, 4: opens, closes a life | length of the life's name (1 byte), the name, protobuf |
/// | 5, beginning | – |
enum EventRecordVersion1 {
    private static let version = Array("CEJ1".utf8)
    private static let headerCount = 25
    private static let kinds: [EventRecord.Kind] = [.event, .acknowledgement, .opening, .closing, .beginning]

    /// The record that the bytes begin with, and how many bytes it has; nil where they begin with something else.
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
                // Without a life it is an event all the same, and keeps its number.
                return EventRecord(kind: .event, position: position, document: document(payload))
            }
            let name = String(decoding: payload.dropFirst().prefix(count), as: UTF8.self)
            return EventRecord(
                kind: kind, position: position, life: EventLife.opens(name).name,
                document: document(payload.dropFirst(1 + count)))
        }
    }

    /// Bytes that are no event stay as they are, so that whoever reads them says so.
    private static func document(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        EventVersion1.document(payload)?.bytes ?? Array(payload)
    }
}

extension ArraySlice<UInt8> {
    /// The caller has checked that the bytes are there.
    func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type, at index: Int) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(self[index + $1]) << (8 * $1) }
    }
}
