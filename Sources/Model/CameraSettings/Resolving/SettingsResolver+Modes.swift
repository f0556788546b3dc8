import CaptureModel

extension SettingsResolver {
    /// Resolves a word, or a raw value of the mode's control.
    mutating func mode(
        _ request: SettingRequest, _ words: [SettingMapping.ModeValue], _ names: [String],
        _ lock: SettingMapping.ModeLock?
    ) throws(SettingRefusal) -> SettingOutcome.Result {
        if request.value == .mode(.locked), let lock { return try locked(request, words, names, lock) }
        if let button = words.first(where: { .mode($0.mode) == request.value })?.button {
            return try once(request, words, names, lock, button)
        }
        guard let mode = camera.control(names) else { return try withoutControl(request, names, lock) }
        let control = try camera.usable([mode.name])
        let value = try Self.value(request.value, words, control)
        try add(control, value, isMode: true)
        if let lock, lockControl(lock.bit) != nil { try self.lock(lock.bit, false) }
        guard request.value == .current else { return .set(request.value) }
        return .set(SettingMapping.word(for: value, of: control, words).map(SettingValue.mode) ?? .raw(value))
    }

    private static func value(
        _ request: SettingValue, _ words: [SettingMapping.ModeValue], _ control: DeviceControl
    ) throws(SettingRefusal) -> Int64 {
        guard let domain = RawSequence(control) else {
            throw SettingRefusal("its control '\(control.name)' accepts no value: the driver reports an empty range")
        }
        let candidates: [Int64]
        switch request {
        case .mode(let mode): candidates = words.first { $0.mode == mode }?.values ?? []
        case .raw(let value): candidates = [value]
        default: candidates = control.value.map { [$0] } ?? []
        }
        guard let value = candidates.first(where: { domain.contains($0) }) else {
            let accepted = SettingMapping.words(of: control, words).map(\.rawValue).joined(separator: ", ")
            throw SettingRefusal(
                "its control '\(control.name)' has no such value; it accepts \(accepted.isEmpty ? "none of the words" : accepted)"
            )
        }
        return value
    }

    /// A camera without an automatic mode is always manual, if the value can be set at all.
    private func withoutControl(
        _ request: SettingRequest, _ names: [String], _ lock: SettingMapping.ModeLock?
    ) throws(SettingRefusal) -> SettingOutcome.Result {
        let missing = SettingMapping.missing(names)
        guard let lock else { throw SettingRefusal(missing) }
        guard (try? camera.numeric(lock.value)) != nil else { throw SettingRefusal(missing) }
        switch request.value {
        case .mode(.manual), .mode(.locked), .current:
            return Self.result(request.value == .current ? .mode(.manual) : request.value, of: request.value)
        default: throw SettingRefusal("\(missing), so that it is always manual")
        }
    }

    /// Switches to manual, and presses the button with which the camera chooses the value once.
    private mutating func once(
        _ request: SettingRequest, _ words: [SettingMapping.ModeValue], _ names: [String],
        _ lock: SettingMapping.ModeLock?, _ button: String
    ) throws(SettingRefusal) -> SettingOutcome.Result {
        let press = try camera.usable([button])
        guard press.kind == .button else { throw SettingRefusal("its control '\(button)' is not a button") }
        if let name = SettingMapping.chosen(by: [button]).first(where: { planned($0) != nil }) {
            throw SettingRefusal("another setting of the same request sets its control '\(name)'; omit one")
        }
        if settings.concernsStream {
            throw SettingRefusal("the same request opens the stream again; focus with a later one")
        }
        if let mode = camera.control(names) {
            let control = try camera.usable([mode.name])
            try add(control, try Self.value(request.value, words, control), isMode: true)
        }
        if let lock, lockControl(lock.bit) != nil { try self.lock(lock.bit, false) }
        try add(press, 1, isMode: false)
        return .set(request.value)
    }

    /// Locks with `3a_lock` if the camera has it. Otherwise switches to manual at the present value.
    private mutating func locked(
        _ request: SettingRequest, _ words: [SettingMapping.ModeValue], _ names: [String],
        _ lock: SettingMapping.ModeLock
    ) throws(SettingRefusal) -> SettingOutcome.Result {
        if lockControl(lock.bit) != nil {
            try self.lock(lock.bit, true)
            return .set(.mode(.locked))
        }
        guard let mode = camera.control(names) else { return try withoutControl(request, names, lock) }
        let control = try camera.usable([mode.name])
        let manual = try Self.value(.mode(.manual), words, control)
        try add(control, manual, isMode: true)
        guard control.value != manual else { return .set(.mode(.locked)) }
        guard let number = try? camera.numeric(lock.value), let raw = try? number.raw(for: .current) else {
            note(
                "\(request.setting.rawValue)=locked: no present value can be read, so the camera returns to its last manual one"
            )
            return .set(.mode(.locked))
        }
        try add(number.control, raw, isMode: false)
        note(
            "\(request.setting.rawValue)=locked sets '\(number.control.name)' to \(raw), the value that the driver reports; check the picture"
        )
        return .set(.mode(.locked))
    }

    /// Resolves the level of a steady light.
    mutating func torch(
        _ request: SettingRequest, _ mode: [String], _ intensity: [String]
    ) throws(SettingRefusal) -> SettingOutcome.Result {
        let torch = try Torch(camera, mode, intensity)
        let (level, value) = try torch.level(request.value)
        guard let level else {
            try add(torch.mode, Torch.off, isMode: true)
            return Self.result(value, of: request.value)
        }
        try add(torch.mode, Torch.on, isMode: true)
        if let control = torch.intensity?.control { try add(control, level, isMode: false) }
        return Self.result(value, of: request.value)
    }
}

extension SettingMapping {
    /// Returns the word for a value of a mode's control. `auto` wins where it is the only word for its value.
    static func word(for value: Int64, of control: DeviceControl, _ words: [ModeValue]) -> SettingMode? {
        let domain = RawSequence(control)
        let best = words.first { word in
            word.button == nil && word.values.first { domain?.contains($0) ?? false } == value
        }
        return best?.mode
    }

    /// Why a camera without these controls does not have a mode.
    static func missing(_ names: [String]) -> String {
        let reason = "the camera has no control \(names.joined(separator: ", "))"
        return names == [FocusControl.refocus]
            ? "the camera has no control \(FocusControl.start), with which it would focus" : reason
    }

    /// Returns the words that a mode's control accepts, without those that need a button.
    static func words(of control: DeviceControl, _ words: [ModeValue]) -> [SettingMode] {
        guard let domain = RawSequence(control) else { return [] }
        return words.filter { $0.button == nil && $0.values.contains { domain.contains($0) } }.map(\.mode)
    }
}

/// A steady light.
struct Torch {
    /// `V4L2_FLASH_LED_MODE_NONE` and `V4L2_FLASH_LED_MODE_TORCH`.
    static let (off, on): (Int64, Int64) = (0, 2)

    let mode: DeviceControl
    /// The control for its brightness, with the values above 0; nil if the camera has none.
    let intensity: (control: DeviceControl, raws: RawSequence)?

    init(_ camera: SettableCamera, _ mode: [String], _ intensity: [String]) throws(SettingRefusal) {
        self.mode = try camera.usable(mode)
        guard let domain = RawSequence(self.mode), domain.contains(Self.off), domain.contains(Self.on) else {
            throw SettingRefusal("its control '\(self.mode.name)' has no steady light")
        }
        guard let control = camera.control(intensity) else {
            self.intensity = nil
            return
        }
        // A current of 0 is the light off. The level is a part of the largest current, which is in millionths of it.
        guard !control.isReadOnly, control.kind == .integer,
            let raws = RawSequence(control)?.clipped(1, .max)
        else { throw SettingRefusal("its control '\(control.name)' accepts no value above 0") }
        self.intensity = (control, raws)
    }

    /// Returns the driver's value for a level, nil for off, with the level in the terms of the request.
    func level(_ request: SettingValue) throws(SettingRefusal) -> (level: Int64?, value: SettingValue) {
        switch request {
        case .fraction(let fraction): return fraction.millionths == 0 ? (nil, request) : rounded(fraction)
        case .current:
            guard let value = present else { throw SettingRefusal("the present state of the light cannot be read") }
            return try level(value)
        case .raw(let raw):
            guard let intensity else {
                throw SettingRefusal("it has no control for the intensity; use 0% or 100%")
            }
            guard let index = intensity.raws.index(nearest: raw, limit: intensity.control.maximum) else {
                throw SettingRefusal("it accepts raw:\(intensity.raws.first) to raw:\(intensity.raws.last), not \(raw)")
            }
            return (intensity.raws[index], .raw(intensity.raws[index]))
        default: throw SettingRefusal("accepted: \(SettingForm.position.accepted)")
        }
    }

    /// The level at present; nil if it cannot be read.
    var present: SettingValue? {
        guard let value = mode.value else { return nil }
        guard value == Self.on else { return Self.fraction(0) }
        guard let intensity else { return Self.fraction(1_000_000) }
        guard let raw = intensity.control.value, intensity.raws.contains(raw) else { return nil }
        return fraction(of: raw)
    }

    /// The least level that is not off.
    var least: SettingValue? { intensity.flatMap { fraction(of: $0.raws.first) } ?? Self.fraction(1_000_000) }

    private func rounded(_ fraction: RangeFraction) -> (level: Int64?, value: SettingValue) {
        guard let intensity, let value = nearest(fraction, in: intensity.raws) else {
            return (Self.on, Self.fraction(1_000_000) ?? .raw(Self.on))
        }
        return (value, self.fraction(of: value) ?? .raw(value))
    }

    private func nearest(_ fraction: RangeFraction, in raws: RawSequence) -> Int64? {
        let ideal = Int64(clamping: Int128(raws.last).rounded(timesThen: Int128(fraction.millionths), by: 1_000_000))
        return raws.index(nearest: min(max(ideal, raws.first), raws.last), limit: raws.last).map { raws[$0] }
    }

    /// Never 0, which is off.
    private func fraction(of raw: Int64) -> SettingValue? {
        guard let intensity else { return nil }
        let part = Int128(raw).rounded(timesThen: 1_000_000, by: Int128(intensity.raws.last))
        return Self.fraction(max(Int64(clamping: part), 1))
    }

    private static func fraction(_ millionths: Int64) -> SettingValue? {
        RangeFraction(millionths: millionths).map(SettingValue.fraction)
    }
}
