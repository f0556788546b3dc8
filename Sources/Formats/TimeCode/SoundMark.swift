import Glibc

/// The mark that a virtual microphone hears at every full second of the scene's time, `CLOCK_REALTIME`. It is the
/// counterpart of the time code in pictures. `docs/virtual-microphone.md` is the specification.
public enum SoundMark {
    /// The length of a mark.
    public static let lengthNanoseconds = 40_000_000.0
    /// The fade at the end of the mark.
    public static let fadeNanoseconds = 5_000_000.0
    /// The largest sample of a mark.
    public static let amplitude = 16_384.0
    /// The frequency of a mark in hertz.
    public static let tone = 2000.0
    /// The frequency in hertz of the mark of a second that is divisible by ``distinguishedEvery``.
    public static let distinguishedTone = 3000.0
    public static let distinguishedEvery: Int64 = 10

    private static let second: Int64 = 1_000_000_000

    /// Returns the frequency in hertz of the mark that begins with a second since 1970-01-01 00:00 UTC.
    public static func tone(ofSecond second: Int64) -> Double {
        second % distinguishedEvery == 0 ? distinguishedTone : tone
    }

    /// Returns the second of an instant, and the nanoseconds since its beginning.
    public static func place(ofRealtimeNanoseconds instant: Int64) -> (second: Int64, nanoseconds: Double) {
        let (quotient, remainder) = instant.quotientAndRemainder(dividingBy: second)
        return remainder < 0 ? (quotient - 1, Double(remainder + second)) : (quotient, Double(remainder))
    }

    /// Returns the sample of the marks at `nanoseconds` after the beginning of a second; not negative, and possibly more than a second.
    public static func sample(nanoseconds: Double, after second: Int64) -> Int16 {
        let seconds = (nanoseconds / Double(Self.second)).rounded(.down)
        let offset = nanoseconds - seconds * Double(Self.second)
        guard offset < lengthNanoseconds, let passed = Int64(exactly: seconds) else { return 0 }
        let fade = min(1, (lengthNanoseconds - offset) / fadeNanoseconds)
        let phase = 2 * Double.pi * tone(ofSecond: second &+ passed) * offset * 1e-9
        return Int16((amplitude * fade * sin(phase)).rounded())
    }
}
