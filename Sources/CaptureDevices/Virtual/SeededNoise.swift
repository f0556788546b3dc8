import CaptureModel

/// Random numbers by place instead of by turn: the same seed, place and stream always give the same number, whatever was
/// asked for before. The mixing function is SplitMix64's.
struct SeededNoise: Hashable {
    let seed: UInt64

    /// Sixty-four random bits.
    func bits(at place: UInt64, stream: UInt64) -> UInt64 {
        Self.mix(Self.mix(seed &+ stream &* 0xD1B5_4A32_D192_ED03) &+ place)
    }

    /// At least 0, less than 1.
    func fraction(at place: UInt64, stream: UInt64) -> Double {
        Double(bits(at: place, stream: stream) >> 11) * 0x1p-53
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension VirtualCameraConfiguration {
    /// The dice of this camera.
    var noise: SeededNoise {
        SeededNoise(seed: SeededNoise(seed: seed).bits(at: UInt64(number), stream: 0))
    }
}
