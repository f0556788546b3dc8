import CaptureModel

/// Random numbers by place instead of by turn: the same seed, place and stream always give the same number, whatever was
/// asked for before.
struct SeededNoise: Hashable {
    let seed: UInt64

    /// Sixty-four random bits.
    func bits(at place: UInt64, stream: UInt64) -> UInt64 {
        SplitMix64.mix(SplitMix64.mix(seed &+ stream &* 0xD1B5_4A32_D192_ED03) &+ place)
    }

    /// At least 0, less than 1.
    func fraction(at place: UInt64, stream: UInt64) -> Double {
        SplitMix64.fraction(bits(at: place, stream: stream))
    }
}

extension VirtualCameraConfiguration {
    /// The dice of this camera.
    var noise: SeededNoise {
        SeededNoise(seed: SeededNoise(seed: seed).bits(at: UInt64(number), stream: 0))
    }
}
