public import CaptureModel

/// A control whose values are numbers in order, as the value of one setting.
struct NumericControl: Hashable, Sendable {
    let control: DeviceControl
    let setting: CaptureSetting
    /// The values that it accepts.
    let raws: RawSequence
    /// Their physical values; nil if nothing defines them.
    let scale: QuantityScale?
    /// Whether a fraction counts from the upper end.
    let isReversed: Bool

    /// - Parameter isLens: Whether V4L2 counts from far to near.
    init(
        _ control: DeviceControl, of setting: CaptureSetting, _ peculiarities: CameraPeculiarities?,
        isLens: Bool = false
    ) throws(SettingRefusal) {
        guard let raws = RawSequence(control) else {
            throw SettingRefusal("its control '\(control.name)' accepts no value: the driver reports an empty range")
        }
        self.control = control
        self.setting = setting
        scale = setting.unit.flatMap {
            QuantityScale(control, unit: $0, curve: peculiarities?.curves[control.name])
        }
        self.raws = control.kind == .menu ? scale?.raws ?? raws : raws
        isReversed = isLens != (peculiarities?.inverted.contains(control.name) ?? false)
    }

    /// Returns the driver's value that is nearest to a requested one.
    func raw(for value: SettingValue) throws(SettingRefusal) -> Int64 {
        switch value {
        case .quantity(let quantity): return try raw(for: quantity)
        case .raw(let raw):
            guard let index = raws.index(nearest: raw, limit: control.maximum) else {
                throw SettingRefusal("it accepts \(rawRange), not \(raw)")
            }
            return raws[index]
        case .fraction(let fraction):
            let millionths = isReversed ? 1_000_000 - fraction.millionths : fraction.millionths
            return raws[raws.index(ofFraction: millionths)]
        case .current:
            guard let raw = control.value else {
                throw SettingRefusal("the present value of '\(control.name)' cannot be read")
            }
            guard raws.contains(raw) else {
                throw SettingRefusal("its control '\(control.name)' is at \(raw), and accepts only \(rawRange)")
            }
            return raw
        case .mode, .gains, .point, .format: throw SettingRefusal("accepted: \(setting.form.accepted)")
        }
    }

    private func raw(for quantity: PhysicalQuantity) throws(SettingRefusal) -> Int64 {
        guard let scale, let range = scale.range else {
            throw SettingRefusal(
                "neither V4L2 nor a measured curve defines \(quantity.unit.name) for its control '\(control.name)'; "
                    + "use 0% to 100%, or \(rawRange)")
        }
        guard let raw = scale.raw(nearest: quantity) else {
            throw SettingRefusal("it accepts \(range.low) to \(range.high), not \(quantity)")
        }
        return raw
    }

    /// Returns a driver's value in the terms of a request; nil if it has none in these.
    func value(of raw: Int64, like request: SettingValue) -> SettingValue? {
        switch request {
        case .quantity: scale?.quantity(raw).map(SettingValue.quantity)
        case .raw: .raw(raw)
        case .fraction: fraction(of: raw)
        case .current, .mode, .gains, .point, .format: value(of: raw)
        }
    }

    /// Returns a driver's value as a physical one if it has one; otherwise as a position or as it is.
    func value(of raw: Int64) -> SettingValue? {
        if let quantity = scale?.quantity(raw) { return .quantity(quantity) }
        return setting.form == .position ? fraction(of: raw) : .raw(raw)
    }

    private func fraction(of raw: Int64) -> SettingValue? {
        guard let index = raws.index(nearest: raw, limit: control.maximum), raws[index] == raw else { return nil }
        let millionths = raws.fraction(at: index)
        return RangeFraction(millionths: isReversed ? 1_000_000 - millionths : millionths).map(SettingValue.fraction)
    }

    /// The driver's values that it accepts, as the text grammar writes them.
    var rawRange: String {
        if let list = raws.list { return list.map { "raw:\($0)" }.joined(separator: ", ") }
        let step = raws.step ?? 1
        return "raw:\(raws.first) to raw:\(raws.last)" + (step > 1 ? " in steps of \(step)" : "")
    }
}

extension CaptureSetting {
    /// The unit of its values, if it has one.
    public var unit: PhysicalUnit? {
        switch form {
        case .number(let unit): unit
        case .frameDuration: .duration
        case .mode, .position, .gains, .point, .format: nil
        }
    }
}

extension PhysicalUnit {
    /// The unit in a sentence.
    var name: String {
        switch self {
        case .duration: "seconds"
        case .decibel: "dB"
        case .exposureValue: "EV"
        case .kelvin: "kelvins"
        case .iso: "ISO speeds"
        case .angle: "degrees"
        case .factor: "a factor"
        case .fNumber: "f-numbers"
        case .tint: "a tint"
        }
    }
}
