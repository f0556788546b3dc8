import CaptureModel
import Glibc

/// Everything of a camera with a look that lies between the light of its target and the picture, but for exposure and
/// flicker.
struct LookLens: Hashable, Sendable {
    var target: VirtualLook.Target
    /// Factors on linear light, as red, green, blue.
    private var sensor: [Double]
    private var balance: [Double]
    private(set) var toneExponent: Double
    private(set) var vignetting: Double
    private let flickerHertz: Double
    private let flickerDepth: Double

    init(_ look: VirtualLook, _ values: VirtualControlValues, _ adaptation: VirtualAdaptation) {
        target = values.target
        let gain = VirtualSettings.amplification(look.gainDecibels)
        sensor = [gain * look.red, gain, gain * look.blue]
        balance = [adaptation.red, 1, adaptation.blue]
        (toneExponent, vignetting) = (look.toneExponent, look.vignetting)
        (flickerHertz, flickerDepth) = (look.flickerHertz, look.flickerDepth)
    }

    /// The same without white balance and tone curve, as a sensor's samples have it.
    var raw: LookLens {
        var raw = self
        (raw.balance, raw.toneExponent) = ([1, 1, 1], 1)
        return raw
    }

    /// Factors on linear light in the middle of the picture, as red, green, blue.
    var factors: [Double] { zip(sensor, balance).map { $0 * $1 } }

    /// Returns the mean light of an exposure, 1 on average: the light is a sine around its mean.
    func flicker(at mid: LocalTime, for length: Duration) -> Double {
        guard flickerDepth > 0 else { return 1 }
        let turns = Double(mid.nanoseconds) / 1e9 * flickerHertz
        let width = Double.pi * flickerHertz * length.seconds
        let share = width > 1e-9 ? sin(width) / width : 1
        return max(1 + flickerDepth * share * sin(2 * .pi * (turns - turns.rounded(.down))), 0)
    }

    /// Returns the share of the light that reaches a place of the picture, given as its distance from the middle: 0 there,
    /// 1 in the corners.
    func light(atDistance distance: Double) -> Double { 1 - vignetting * distance * distance }
}
