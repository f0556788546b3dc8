public import CaptureModel
import Glibc

/// A control that changes the brightness or the color of pictures, as the matching of cameras uses it.
///
/// Its effect is a straight line: ln of linear light over ``position``. The slope is a guess until two measurements have
/// shown it.
public struct MatchKnob: Hashable, Sendable {
    /// What a larger value does.
    public enum Effect: Hashable, Sendable {
        /// Everything becomes brighter. Exposure time is used before gain, because its steps are finer.
        case exposure, gain
        /// Red, or blue, becomes brighter.
        case red, blue
        /// Red becomes brighter and blue darker.
        case warmth
    }

    public let effect: Effect
    /// The setting, or `driver.NAME` of a control without one.
    public let name: String
    public let range: ClosedRange<Int64>
    public let step: Int64
    /// The driver's value.
    public var value: Int64
    /// Whether values are already in proportion to the logarithm of their effect, such as dB.
    let isLogarithmic: Bool
    /// The guess of the slope, from which a measured one may deviate by a factor of ``slopeLimit``.
    let firstSlope: Double
    var slope: Double
    /// Whether a change was not seen in the pictures. It is no longer turned.
    private(set) var isWithoutEffect = false

    private static let slopeLimit = 3.0

    init(
        _ effect: Effect, _ name: String, _ control: DeviceControl, maximum: Int64? = nil, isLogarithmic: Bool,
        slope: Double
    ) {
        self.effect = effect
        self.name = name
        let top = max(min(control.maximum, maximum ?? control.maximum), control.minimum)
        range = control.minimum...top
        step = max(control.step, 1)
        value = min(max(control.value ?? control.defaultValue, control.minimum), control.maximum)
        self.isLogarithmic = isLogarithmic
        firstSlope = slope
        self.slope = slope
    }

    /// The entry of a request that sets it.
    public var entry: String { name.hasPrefix("driver.") ? "\(name)=\(value)" : "\(name)=raw:\(value)" }

    func position(_ value: Int64) -> Double { isLogarithmic ? Double(value) : log(max(Double(value), 0.5)) }

    /// Returns the value in reach that changes ln of the light by nearest to so much.
    func value(changingBy change: Double) -> Int64 {
        let place = position(value) + change / slope
        let wanted = isLogarithmic ? place : exp(min(place, 42))
        let clamped = min(max(wanted, Double(range.lowerBound)), Double(range.upperBound))
        let steps = ((clamped - Double(range.lowerBound)) / Double(step)).rounded()
        let most = (range.upperBound - range.lowerBound) / step
        return range.lowerBound + min(max(Int64(steps), 0), most) * step
    }

    /// Returns how much another value changes ln of the light.
    func change(to other: Int64) -> Double { slope * (position(other) - position(value)) }

    /// Learns the slope from the effect of a change, unless it is too small or not credible.
    mutating func learn(from old: Int64, effect: Double) {
        let moved = position(value) - position(old)
        guard abs(moved * firstSlope) > 0.08 else { return }
        let ratio = effect / moved / firstSlope
        isWithoutEffect = ratio < 0.1
        slope = firstSlope * min(max(ratio, 1 / Self.slopeLimit), Self.slopeLimit)
    }
}

/// The controls of one camera that matching sets, and the modes that it switches to manual.
public struct MatchKnobs: Hashable, Sendable {
    public var knobs: [MatchKnob]
    /// Entries that switch automatic modes off. Values of settings switch theirs off by themselves.
    public private(set) var modes: [String]
    /// Whether exposure, gain or white balance are automatic at present.
    public let isAutomatic: Bool

    public var hasLight: Bool { knobs.contains { [.exposure, .gain].contains($0.effect) } }

    /// Finds the controls.
    /// - Parameter frameInterval: Longer exposures are not used; nil if it is not known.
    public init(_ controls: [DeviceControl], frameInterval: Duration?) {
        func usable(_ names: [String]) -> DeviceControl? {
            controls.first {
                names.contains($0.name) && !$0.isReadOnly && $0.kind == .integer && $0.maximum > $0.minimum
            }
        }
        func value(_ names: [String]) -> Int64? { controls.first { names.contains($0.name) }?.value }
        var knobs: [MatchKnob] = []
        if let exposure = usable(["exposure_time_absolute", "exposure_absolute", "exposure"]) {
            let longest = exposure.unit == "100 µs" ? frameInterval.map { $0.nanoseconds / 100_000 } : nil
            knobs.append(
                MatchKnob(.exposure, "exposureDuration", exposure, maximum: longest, isLogarithmic: false, slope: 1))
        }
        if let gain = usable(["gain", "analogue_gain"]) {
            // Without a unit: a range of a factor of 8.
            let decibels = gain.unit.flatMap { StandardUnit.reported[$0] }.map { Double($0.countPerStep) / 1000 }
            let slope = decibels.map { $0 * log(10) / 20 } ?? log(8) / Double(gain.maximum - gain.minimum)
            knobs.append(MatchKnob(.gain, "gain", gain, isLogarithmic: true, slope: slope))
        }
        if let red = usable(["red_balance"]), let blue = usable(["blue_balance"]) {
            knobs.append(Self.balance(.red, red))
            knobs.append(Self.balance(.blue, blue))
        } else if let temperature = usable(["white_balance_temperature"]) {
            knobs.append(
                MatchKnob(.warmth, "whiteBalanceTemperature", temperature, isLogarithmic: false, slope: 1))
        }
        self.knobs = knobs
        let whiteBalance = value(["white_balance_automatic", "white_balance_temperature_auto"])
        modes = whiteBalance == nil ? [] : ["whiteBalanceMode=manual"]
        let exposure = value(["auto_exposure", "exposure_auto"])
        isAutomatic =
            (exposure.map { $0 != 1 } ?? false) || (whiteBalance.map { $0 != 0 } ?? false)
            || (value(["gain_automatic"]).map { $0 != 0 } ?? false)
    }

    private static func balance(_ effect: MatchKnob.Effect, _ control: DeviceControl) -> MatchKnob {
        let isLogarithmic = control.minimum <= 0
        return MatchKnob(
            effect, "driver.\(control.name)", control, isLogarithmic: isLogarithmic,
            slope: isLogarithmic ? log(4) / Double(control.maximum - control.minimum) : 1)
    }

    /// The request that sets all of them.
    public var settings: [String] { modes + knobs.map(\.entry) }
}

extension MatchKnobs {
    private func index(_ effect: MatchKnob.Effect) -> Int? {
        knobs.firstIndex { $0.effect == effect && !$0.isWithoutEffect }
    }

    /// Leaves the colors alone: white balance does not change a sensor's samples.
    mutating func keepLightOnly() {
        knobs.removeAll { ![.exposure, .gain].contains($0.effect) }
        modes = []
    }

    /// Turns the knobs so that ln of red, green and blue light changes by nearest to so much.
    /// - Returns: Whether any has another value.
    mutating func turn(_ wanted: [Double]) -> Bool {
        let before = knobs
        let light: Double
        if let red = index(.red), let blue = index(.blue) {
            light = wanted[1]
            knobs[red].value = knobs[red].value(changingBy: wanted[0] - light)
            knobs[blue].value = knobs[blue].value(changingBy: wanted[2] - light)
        } else if let warmth = index(.warmth) {
            let value = knobs[warmth].value(changingBy: (wanted[0] - wanted[2]) / 2)
            let change = knobs[warmth].change(to: value)
            knobs[warmth].value = value
            light = Self.middle([wanted[0] - change, wanted[1], wanted[2] + change])
        } else {
            light = Self.middle(wanted)
        }
        turnLight(light)
        return knobs != before
    }

    /// The change that leaves the smallest deviation.
    private static func middle(_ changes: [Double]) -> Double {
        ((changes.min() ?? 0) + (changes.max() ?? 0)) / 2
    }

    private mutating func turnLight(_ change: Double) {
        guard let exposure = index(.exposure) else {
            if let gain = index(.gain) { knobs[gain].value = knobs[gain].value(changingBy: change) }
            return
        }
        let before = knobs[exposure]
        let reached = before.change(to: before.value(changingBy: change))
        var rest = 0.0
        // Only what the exposure time cannot do: its steps are finer, and gain adds noise.
        if let gain = index(.gain), abs(change - reached) > 0.01 {
            let value = knobs[gain].value(changingBy: change - reached)
            rest = knobs[gain].change(to: value)
            knobs[gain].value = value
        }
        knobs[exposure].value = before.value(changingBy: change - rest)
    }

    /// Learns the slopes from what a change of the values has done to ln of red, green and blue light.
    mutating func learn(from old: [MatchKnob], _ changes: [Double]) {
        let moved = zip(old, knobs).filter { $0.0.value != $0.1.value }
        for (before, after) in moved {
            guard let index = index(after.effect) else { continue }
            let isOnlyLight = moved.count { [.exposure, .gain].contains($0.1.effect) } == 1
            switch after.effect {
            case .exposure, .gain:
                if isOnlyLight { knobs[index].learn(from: before.value, effect: changes[1]) }
            case .red: knobs[index].learn(from: before.value, effect: changes[0] - changes[1])
            case .blue: knobs[index].learn(from: before.value, effect: changes[2] - changes[1])
            case .warmth: knobs[index].learn(from: before.value, effect: (changes[0] - changes[2]) / 2)
            }
        }
    }
}
