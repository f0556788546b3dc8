internal import CaptureModel

/// A record of a journal file: `CEJ1`, kind (1 byte), epoch, sequence (8 bytes each), payload length (4 bytes), payload,
/// CRC-32 of all from kind to payload; numbers are little-endian.
struct EventRecord: Equatable {
    enum Kind: UInt8 {
        case event = 1
        /// Every event of the epoch up to the sequence is acknowledged; no payload.
        case acknowledgement = 2
        /// An event that opens a life; its payload begins with the life's name (``EventLife``).
        case opening = 3
        /// An event that closes a life; its payload begins with the life's name.
        case closing = 4
        /// The life of the epoch begins behind everything that stands before; no payload, and sequence 0.
        case beginning = 5
    }

    var kind: Kind
    var position: EventPosition
    var payload: [UInt8] = []

    private static let marker = Array("CEJ1".utf8)
    private static let headerCount = 25

    var bytes: [UInt8] {
        var bytes = Self.marker
        bytes.reserveCapacity(Self.headerCount + payload.count + 4)
        bytes.append(kind.rawValue)
        bytes.append(littleEndian: position.epoch.rawValue)
        bytes.append(littleEndian: position.sequence)
        bytes.append(littleEndian: UInt32(clamping: payload.count))
        bytes += payload
        bytes.append(littleEndian: CRC32.checksum(bytes.dropFirst(Self.marker.count)))
        return bytes
    }

    /// Every whole record of a file, and at how many places there was something else.
    static func parse(_ bytes: [UInt8]) -> (records: [EventRecord], damaged: UInt64) {
        var records: [EventRecord] = []
        var damaged: UInt64 = 0
        var offset = 0
        var isDamaged = false
        let sums = CRC32Index(bytes)
        while offset < bytes.count {
            if let (record, count) = record(in: bytes[offset...], sums) {
                records.append(record)
                offset += count
                isDamaged = false
            } else {
                // Whatever is broken here, the next whole record shows itself by its marker and checksum.
                if !isDamaged { damaged += 1 }
                isDamaged = true
                offset += 1
            }
        }
        return (records, damaged)
    }

    private static func record(in bytes: ArraySlice<UInt8>, _ sums: CRC32Index) -> (EventRecord, Int)? {
        guard bytes.starts(with: marker), bytes.count >= headerCount + 4 else { return nil }
        let start = bytes.startIndex
        let count = Int(bytes.littleEndian(UInt32.self, at: start + 21))
        let end = start + headerCount + count
        guard end + 4 <= bytes.endIndex,
            bytes.littleEndian(UInt32.self, at: end) == sums.checksum(of: (start + marker.count)..<end),
            let kind = Kind(rawValue: bytes[start + 4]),
            let epoch = Epoch(rawValue: bytes.littleEndian(UInt64.self, at: start + 5))
        else { return nil }
        let position = EventPosition(epoch: epoch, sequence: bytes.littleEndian(UInt64.self, at: start + 13))
        let payload = Array(bytes[(start + headerCount)..<end])
        return (EventRecord(kind: kind, position: position, payload: payload), headerCount + count + 4)
    }
}

extension [UInt8] {
    fileprivate mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        for index in 0..<Number.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}

extension ArraySlice<UInt8> {
    /// The caller has checked that the bytes are there.
    fileprivate func littleEndian<Number: FixedWidthInteger>(_ type: Number.Type, at index: Int) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(self[index + $1]) << (8 * $1) }
    }
}
