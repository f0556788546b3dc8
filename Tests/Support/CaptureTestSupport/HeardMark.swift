import TimeCode

/// A mark of a virtual microphone, found in samples by its loudness and the changes of its sign.
public struct HeardMark: Hashable, Sendable {
    /// The frame it begins with; off by a frame or two of 48 kHz, where nothing was lost.
    public var frame: Int
    /// Hertz, by its changes of sign; off by a few.
    public var tone: Double

    /// Whether it is the mark of a second divisible by ``SoundMark/distinguishedEvery``.
    public var isDistinguished: Bool {
        abs(tone - SoundMark.distinguishedTone) < abs(tone - SoundMark.tone)
    }

    /// The marks of which all is heard but the end that fades, in order. Works at any volume that leaves them well above
    /// the noise.
    /// - Parameters:
    ///   - samples: Of one channel.
    ///   - rate: Frames a second.
    public static func all(in samples: [Int16], rate: Double) -> [HeardMark] {
        let loud = (samples.map { Int($0.magnitude) }.max() ?? 0) / 4
        guard loud > 500 else { return [] }
        let length = Int((SoundMark.lengthNanoseconds - SoundMark.fadeNanoseconds) * 1e-9 * rate)
        var marks: [HeardMark] = []
        var index = 0
        while index < samples.count {
            guard samples[index].magnitude > loud else {
                index += 1
                continue
            }
            let end = index + length
            guard end <= samples.count else { break }
            // The beginning is where the sign last changed before it is loud.
            let first = beginning(before: index, in: samples, atMost: Int(rate / SoundMark.tone))
            marks.append(HeardMark(frame: first, tone: tone(of: samples[index..<end], rate: rate)))
            // Past its end, and past its echo.
            index = end + length
        }
        return marks
    }

    private static func beginning(before index: Int, in samples: [Int16], atMost limit: Int) -> Int {
        let noise = Int16(256)
        return (max(0, index - limit)..<index).last { samples[$0].magnitude < noise.magnitude } ?? index
    }

    private static func tone(of samples: ArraySlice<Int16>, rate: Double) -> Double {
        let changes = zip(samples, samples.dropFirst()).count { ($0 < 0) != ($1 < 0) }
        return Double(changes) / 2 / Double(max(samples.count, 1)) * rate
    }
}
