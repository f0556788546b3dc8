import CaptureModel
import Movies

/// Recordings as a camera makes them.
enum RecordingSample {
    private static let pictures = Result { try (0..<32).map { try ClipSample.jpeg($0) } }

    static let rate = FrameRate(interval: .nanoseconds(33_333_333))

    static func format(
        sound: Bool = false, rate: FrameRate = rate, timecodeStart: SMPTETimecode? = nil
    ) -> RecordingFormat {
        RecordingFormat(
            width: 96, height: 64, frameRate: rate,
            sound: sound ? RecordingFormat.Sound(sampleRate: 48_000, channelCount: 1) : nil, reelName: "LEFT 1",
            timecodeStart: timecodeStart, creationDate: ClipSample.date, title: "Take ü")
    }

    static func frame(_ number: Int, at time: Int64) throws -> RecordedFrame {
        RecordedFrame(
            jpeg: try pictures.get()[number % 32], presentationTime: time,
            rigTimeNanoseconds: 1_000_000_000_000 + Int64(number) * 33_333_333,
            boundNanoseconds: 250_000 + Int64(number),
            number: 100 + Int64(number), exposureNanoseconds: 8_000_000)
    }

    /// A thirtieth of a second that differs from number to number.
    static func sound(_ number: Int) -> [UInt8] {
        (0..<3200).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
    }
}
