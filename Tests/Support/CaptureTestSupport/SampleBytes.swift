import Glibc

/// Made-up contents of files. They are made here and not beside their tests because tests are not optimized.
public enum SampleBytes {
    /// Bytes that differ from file to file.
    public static func file(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        // They repeat after 64 KiB. Those are computed once: unoptimized, each byte takes long.
        repeated((0..<min(count, 65_536)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) ^ seed }, to: count)
    }

    private static func repeated(_ block: [UInt8], to count: Int) -> [UInt8] {
        var bytes = block
        while bytes.count < count { bytes += block.prefix(count - bytes.count) }
        return bytes
    }

    /// Samples of 16 bits that differ from number to number.
    public static func sound(_ byteCount: Int, number: Int) -> [UInt8] {
        repeated((0..<min(byteCount, 256)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }, to: byteCount)
    }

    /// A sine of 440 Hz: interleaved samples of 16 bits, the lower byte first.
    public static func tone(seconds: Double, sampleRate: Int, channelCount: Int) -> [UInt8] {
        let frameCount = Int(seconds * Double(sampleRate))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frameCount * channelCount * 2)
        for frame in 0..<frameCount {
            let value = Int16(12_000 * sin(2 * .pi * 440 * Double(frame) / Double(sampleRate)))
            for _ in 0..<channelCount {
                bytes.append(UInt8(truncatingIfNeeded: value))
                bytes.append(UInt8(truncatingIfNeeded: value >> 8))
            }
        }
        return bytes
    }
}
