import Glibc

/// What the automatic modes of a camera with a look have reached: with each frame, they come nearer to the exposure and
/// the white balance with which a gray card is gray and has its normal brightness.
struct VirtualAdaptation: Hashable, Sendable {
    private(set) var exposureMilliseconds: Double
    /// Gains of white balance.
    private(set) var red: Double
    private(set) var blue: Double

    /// Begins at the manual values.
    init(_ values: VirtualControlValues) {
        exposureMilliseconds = values.exposureMilliseconds
        (red, blue) = values.manualGains
    }

    /// Plans one frame. Where a mode is manual, its values are those of the controls, so that the automatic mode begins
    /// there.
    mutating func advance(_ values: VirtualControlValues, _ look: VirtualLook) {
        if values.isAutoExposure {
            let light =
                VirtualSettings.amplification(values.gainDecibels + look.gainDecibels) * values.flash.illumination
            let goal = VirtualSettings.nominalExposureMilliseconds / light
            exposureMilliseconds = min(max(approach(exposureMilliseconds, goal, look), 0.01), 10_000)
        } else {
            exposureMilliseconds = values.exposureMilliseconds
        }
        let manual = values.manualGains
        red = values.isAutoWhiteBalance ? approach(red, 1 / look.red, look) : manual.red
        blue = values.isAutoWhiteBalance ? approach(blue, 1 / look.blue, look) : manual.blue
    }

    /// The gains as values of the controls.
    var redBalance: Int64 { Self.balance(red) }
    var blueBalance: Int64 { Self.balance(blue) }

    private static func balance(_ gain: Double) -> Int64 {
        let value = Int64((gain * Double(VirtualControl.neutralBalance)).rounded())
        return min(max(value, VirtualControl.redBalance.range.lowerBound), VirtualControl.redBalance.range.upperBound)
    }

    private func approach(_ present: Double, _ goal: Double, _ look: VirtualLook) -> Double {
        guard look.adaptationFrames > 0, abs(present / goal - 1) > 0.001 else { return goal }
        return present * pow(goal / present, 1 / Double(look.adaptationFrames))
    }
}

extension VirtualControlValues {
    /// The gains of manual white balance on red and blue.
    var manualGains: (red: Double, blue: Double) {
        let ratio = Double(whiteBalanceTemperature) / Double(WhiteBalance.sceneTemperature)
        let neutral = Double(VirtualControl.neutralBalance)
        return (ratio * Double(redBalance) / neutral, Double(blueBalance) / neutral / ratio)
    }
}

extension VirtualLook.Target {
    /// The value of the control.
    var index: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }
}
