import TimeCode

/// What is to be heard in the scene of the virtual cameras: faint noise, never silent, and the mark of each second.
struct SceneSound {
    let noise: SeededNoise

    /// Of the noise, which is never zero and stays where it would cancel out a mark: silence is what was not heard.
    private static let noiseLevels: UInt64 = 64
    private static let noiseStream: UInt64 = 0x6E6F_6973_65

    /// Samples of every channel, interleaved.
    /// - Parameters:
    ///   - index: Number of the first frame, for the noise.
    ///   - realtime: When the first frame is taken, nanoseconds of `CLOCK_REALTIME`.
    ///   - interval: Nanoseconds from frame to frame.
    func samples(_ count: Int, from index: Int64, realtime: Int64, interval: Double, channels: Int) -> [Int16] {
        var samples: [Int16] = []
        samples.reserveCapacity(count * channels)
        let (second, offset) = SoundMark.place(ofRealtimeNanoseconds: realtime)
        for frame in 0..<count {
            let sound = SoundMark.sample(nanoseconds: offset + Double(frame) * interval, after: second)
            let noise = ambience(index &+ Int64(frame))
            let sum = Int(sound) + noise
            let sample = Int16(clamping: sum == 0 ? noise : sum)
            for _ in 0..<channels { samples.append(sample) }
        }
        return samples
    }

    private func ambience(_ index: Int64) -> Int {
        let bits = noise.bits(at: UInt64(bitPattern: index), stream: Self.noiseStream)
        let level = Int(bits % Self.noiseLevels) + 1
        return bits & (1 << 63) == 0 ? level : -level
    }
}
