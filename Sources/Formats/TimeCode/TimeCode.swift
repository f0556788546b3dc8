/// What a virtual camera writes into the pixels of a frame: when it was exposed, and by whom.
public struct TimeCode: Hashable, Sendable {
    /// Mid-exposure in nanoseconds of `CLOCK_REALTIME` (since 1970-01-01 UTC, leap seconds not counted).
    public var realtimeNanoseconds: Int64
    /// The camera's count of exposed frames; a gap means that frames were lost after exposure.
    public var frameNumber: UInt32
    /// The camera's number within its rig.
    public var cameraNumber: UInt16

    /// Creates a time code.
    public init(realtimeNanoseconds: Int64, frameNumber: UInt32, cameraNumber: UInt16) {
        self.realtimeNanoseconds = realtimeNanoseconds
        self.frameNumber = frameNumber
        self.cameraNumber = cameraNumber
    }

    /// The eight 16-bit words as drawn, one per row of cells: four of time, two of frame number, camera, CRC.
    public var words: [UInt16] {
        let payload = payloadWords
        return payload + [Self.checksum(payload)]
    }

    /// Reads words as drawn.
    ///
    /// - Throws: ``TimeCodeError/crcMismatch(expected:found:)``, or `noCode` when they are not eight.
    public init(words: [UInt16]) throws(TimeCodeError) {
        guard words.count == 8 else { throw .noCode }
        let expected = Self.checksum(words.dropLast())
        guard expected == words[7] else { throw .crcMismatch(expected: expected, found: words[7]) }
        let time = words[0..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
        self.init(
            realtimeNanoseconds: Int64(bitPattern: time), frameNumber: UInt32(words[4]) << 16 | UInt32(words[5]),
            cameraNumber: words[6])
    }

    private var payloadWords: [UInt16] {
        let time = UInt64(bitPattern: realtimeNanoseconds)
        return [
            UInt16(truncatingIfNeeded: time >> 48), UInt16(truncatingIfNeeded: time >> 32),
            UInt16(truncatingIfNeeded: time >> 16), UInt16(truncatingIfNeeded: time),
            UInt16(truncatingIfNeeded: frameNumber >> 16), UInt16(truncatingIfNeeded: frameNumber), cameraNumber,
        ]
    }

    private static func checksum(_ words: some Sequence<UInt16>) -> UInt16 {
        CRC16.checksum(words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }
}
