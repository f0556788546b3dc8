import CaptureModel

extension SettingsResolver {
    /// Resolves a control by its driver's name.
    mutating func driver(_ request: DriverRequest) throws(SettingRefusal) -> SettingOutcome.Result {
        let control = try camera.usable([request.name])
        let value = try Self.value(request.value, of: control)
        try add(control, value, isMode: control.kind == .menu || control.kind == .boolean)
        return value == request.value ? .set(.raw(value)) : .rounded(to: .raw(value))
    }

    private static func value(_ value: Int64, of control: DeviceControl) throws(SettingRefusal) -> Int64 {
        switch control.kind {
        case .button: return value
        case .bitmask:
            guard value >= 0, value & ~control.maximum == 0 else {
                throw SettingRefusal("it accepts the bits of 0x\(String(control.maximum, radix: 16)), not \(value)")
            }
            return value
        case .integer, .boolean, .menu:
            guard let raws = RawSequence(control) else {
                throw SettingRefusal("it accepts no value: the driver reports an empty range")
            }
            guard let index = raws.index(nearest: value, limit: control.maximum) else {
                let accepted = raws.list.map { $0.map(String.init).joined(separator: ", ") }
                throw SettingRefusal("it accepts \(accepted ?? "\(raws.first) to \(raws.last)"), not \(value)")
            }
            return raws[index]
        }
    }

    /// Resolves a number with the modes that it needs.
    mutating func number(
        _ request: SettingRequest, _ mapping: SettingMapping
    ) throws(SettingRefusal) -> SettingOutcome.Result {
        let number = try camera.numeric(request.setting)
        try refuseLocked(mapping)
        let raw = try number.raw(for: request.value)
        try meet(mapping.needs, for: request.setting, number.control)
        try unlock(request.setting)
        try add(number.control, raw, isMode: false)
        guard let value = number.value(of: raw, like: request.value) else {
            throw SettingRefusal("its nearest value, raw:\(raw), has no equivalent in the terms of the request")
        }
        if request.setting == .exposureDuration { noteLongExposure(value) }
        return Self.result(value, of: request.value)
    }

    static func result(_ value: SettingValue, of request: SettingValue) -> SettingOutcome.Result {
        request == .current || request == value ? .set(value) : .rounded(to: value)
    }

    /// The modes whose lock holds the value of a setting.
    private static let lockingModes: [CaptureSetting: CaptureSetting] = [
        .exposureDuration: .exposureMode, .whiteBalanceTemperature: .whiteBalanceMode,
        .whiteBalanceGains: .whiteBalanceMode, .lensPosition: .focusMode,
    ]

    /// A lock keeps the present value, so the same request cannot name another one.
    func refuseLocked(_ mapping: SettingMapping) throws(SettingRefusal) {
        guard let mode = Self.lockingModes[mapping.setting] else { return }
        if settings[mode] == .mode(.locked) {
            throw SettingRefusal("\(mode.rawValue)=locked keeps the present value; use \(mode.rawValue)=manual")
        }
        if settings[mode] == .mode(.once) {
            throw SettingRefusal("\(mode.rawValue)=once lets the camera choose it; use \(mode.rawValue)=manual")
        }
    }

    /// Ends a lock that the camera has at present, so that a value takes effect.
    private mutating func unlock(_ setting: CaptureSetting) throws(SettingRefusal) {
        guard let mode = Self.lockingModes[setting], case .modes(_, _, let lock?) = SettingMapping.of(mode).target,
            let present = lockControl(lock.bit)?.value, present & lock.bit != 0
        else { return }
        try self.lock(lock.bit, false)
    }

    private mutating func noteLongExposure(_ value: SettingValue) {
        guard case .quantity(let exposure) = value, let format = camera.format,
            exposure.count > format.frameInterval.nanoseconds
        else { return }
        note(
            "an exposure of \(exposure) is longer than the frame interval of \(format.frameInterval.text): it is cut, or frames come later"
        )
    }

    /// Resolves red and blue relative to green.
    mutating func gains(
        _ request: SettingRequest, _ mapping: SettingMapping, _ red: [String], _ blue: [String]
    ) throws(SettingRefusal) -> SettingOutcome.Result {
        let channels = [try camera.usable(red), try camera.usable(blue)]
        try refuseLocked(mapping)
        let scales = channels.compactMap {
            QuantityScale($0, unit: .factor, curve: camera.peculiarities?.curves[$0.name])
        }
        guard scales.count == 2 else {
            let names = channels.map { "driver.\($0.name)=N" }.joined(separator: " ")
            throw SettingRefusal(
                "neither V4L2 nor a measured curve defines the gains of its controls; use \(names) instead")
        }
        var (raws, factors): ([Int64], [Int64]) = ([], [])
        for (index, scale) in scales.enumerated() {
            let raw = try Self.raw(request.value, index, scale, channels[index])
            raws.append(raw)
            factors.append(scale.quantity(raw)?.count ?? 0)
        }
        guard let gains = WhiteBalanceGains(red: factors[0], green: 1000, blue: factors[1]) else {
            throw SettingRefusal("its measured curves give no gains for the present values")
        }
        try unlock(request.setting)
        for (control, raw) in zip(channels, raws) {
            try meet(mapping.needs, for: request.setting, control)
            try add(control, raw, isMode: false)
        }
        return Self.result(.gains(gains), of: request.value)
    }

    /// - Parameter index: 0 for red, 1 for blue.
    private static func raw(
        _ request: SettingValue, _ index: Int, _ scale: QuantityScale, _ control: DeviceControl
    ) throws(SettingRefusal) -> Int64 {
        guard case .gains(let gains) = request else {
            guard let raw = control.value, scale.quantity(raw) != nil else {
                throw SettingRefusal("the present value of '\(control.name)' cannot be read, or has no measured gain")
            }
            return raw
        }
        let gain = Int128(index == 0 ? gains.red : gains.blue)
        let ratio = Int64(clamping: gain.rounded(timesThen: 1000, by: Int128(gains.green)))
        guard let factor = PhysicalQuantity(ratio, .factor), let raw = scale.raw(nearest: factor) else {
            let range = scale.range.map { "\($0.low) to \($0.high)" } ?? "nothing"
            throw SettingRefusal(
                "'\(control.name)' gives \(range) of green, not \(DecimalText.text(ratio, digits: 3))x")
        }
        return raw
    }
}
