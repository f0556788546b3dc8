/// A generator of reproducible random numbers: SplitMix64 of Steele, Lea and Flood (OOPSLA 2014). Not for secrets.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        defer { state &+= Self.step }
        return Self.mix(state)
    }

    /// Returns a number of at least 0 and less than 1.
    public mutating func fraction() -> Double {
        Self.fraction(next())
    }

    /// Returns the first number that a generator of this seed produces.
    public static func mix(_ seed: UInt64) -> UInt64 {
        var mixed = seed &+ step
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns 64 random bits as a number of at least 0 and less than 1.
    public static func fraction(_ bits: UInt64) -> Double {
        Double(bits >> 11) * 0x1p-53
    }

    private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
}
