import CaptureModel

/// Random numbers that are the same in every run, for tests that try many cases.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    public init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    public mutating func next() -> UInt64 {
        numbers.next()
    }
}
