public import CaptureModel

/// What a camera can do with a setting.
public struct SupportedSetting: Hashable, Sendable {
    public var setting: CaptureSetting
    /// The controls that carry it out; empty if the stream does, or nothing.
    public var controls: [String]
    /// Why the camera does not support it; nil if it does.
    public var obstacle: String?
    /// The least and greatest value, the distance of values and the default, where they are in order.
    public var minimum: SettingValue?
    public var maximum: SettingValue?
    public var step: SettingValue?
    public var defaultValue: SettingValue?
    /// The values, where they are not in equal steps.
    public var choices: [SettingValue]
    /// The present value; nil if it cannot be read.
    public var current: SettingValue?

    public var isSupported: Bool { obstacle == nil }

    /// What V4L2 cannot express of the setting, as a sentence.
    public var lost: String { SettingMapping.of(setting).lost }

    /// The unit of its values with this camera; nil for words, positions and raw values.
    public var unit: PhysicalUnit? {
        for case .quantity(let quantity)? in [current, minimum, choices.first] { return quantity.unit }
        return nil
    }

    init(_ setting: CaptureSetting, controls: [String] = [], obstacle: String? = nil) {
        self.setting = setting
        self.controls = controls
        self.obstacle = obstacle
        choices = []
    }
}

extension SettableCamera {
    /// Every setting, in the order of ``CaptureSetting``, with what this camera supports of it.
    public var supportedSettings: [SupportedSetting] {
        CaptureSetting.allCases.map { setting in
            do throws(SettingRefusal) {
                return try supported(setting)
            } catch {
                return SupportedSetting(setting, obstacle: error.reason)
            }
        }
    }

    /// Returns the present value of a setting, by what its driver reports; nil if it cannot be read.
    public func current(_ setting: CaptureSetting) -> SettingValue? {
        (try? supported(setting))?.current
    }

    private func supported(_ setting: CaptureSetting) throws(SettingRefusal) -> SupportedSetting {
        let mapping = SettingMapping.of(setting)
        switch mapping.target {
        case .none: throw SettingRefusal(mapping.lost)
        case .stream: return try supportedStream(setting)
        case .modes(let words, let names, let lock): return try supportedMode(setting, words, names, lock)
        case .number, .lens: return supportedNumber(try numeric(setting))
        case .torch(let mode, let intensity): return supportedTorch(try Torch(self, mode, intensity))
        case .gains(let red, let blue): return try supportedGains(red, blue)
        }
    }

    private func supportedNumber(_ number: NumericControl) -> SupportedSetting {
        let control = number.control
        var supported = SupportedSetting(number.setting, controls: [control.name])
        supported.current = control.value.flatMap(number.value(of:))
        supported.defaultValue =
            number.raws.contains(control.defaultValue) ? number.value(of: control.defaultValue) : nil
        let ends = [number.raws.first, number.raws.last].compactMap(number.value(of:))
        (supported.minimum, supported.maximum) = (ends.first, ends.last)
        if let range = number.scale?.range {
            (supported.minimum, supported.maximum) = (.quantity(range.low), .quantity(range.high))
            supported.step = number.scale?.step.map(SettingValue.quantity)
        } else if number.setting.form == .position {
            if number.isReversed { swap(&supported.minimum, &supported.maximum) }
            supported.step = RangeFraction(millionths: number.raws.fraction(at: 1)).map(SettingValue.fraction)
        } else {
            supported.step = number.raws.step.map(SettingValue.raw)
        }
        supported.choices = number.raws.list?.compactMap(number.value(of:)) ?? []
        return supported
    }

    private func supportedMode(
        _ setting: CaptureSetting, _ words: [SettingMapping.ModeValue], _ names: [String],
        _ lock: SettingMapping.ModeLock?
    ) throws(SettingRefusal) -> SupportedSetting {
        let button = wordWithButton(words)
        guard let mode = control(names) else { return try supportedFixedMode(setting, names, lock, button) }
        let control = try usable([mode.name])
        var supported = SupportedSetting(setting, controls: [control.name])
        var modes = SettingMapping.words(of: control, words)
        let locking = lock.flatMap { self.lock($0.bit) }
        if let locking { supported.controls.append(locking.name) }
        if lock != nil, locking != nil || modes.contains(.manual) { modes.append(.locked) }
        if let button {
            modes.append(button.mode)
            supported.controls += [button.button].compactMap(\.self)
        }
        guard !modes.isEmpty else {
            throw SettingRefusal("its control '\(control.name)' has none of the values that V4L2 defines")
        }
        supported.choices = modes.map(SettingValue.mode)
        func value(_ raw: Int64) -> SettingValue {
            SettingMapping.word(for: raw, of: control, words).map(SettingValue.mode) ?? .raw(raw)
        }
        supported.defaultValue =
            RawSequence(control)?.contains(control.defaultValue) == true ? value(control.defaultValue) : nil
        supported.current = control.value.map(value)
        if let lock, let bits = locking?.value, bits & lock.bit != 0 { supported.current = .mode(.locked) }
        return supported
    }

    /// Returns the word whose button the camera has.
    private func wordWithButton(_ words: [SettingMapping.ModeValue]) -> SettingMapping.ModeValue? {
        words.first { word in word.button.flatMap { try? usable([$0]) }?.kind == .button }
    }

    private func supportedFixedMode(
        _ setting: CaptureSetting, _ names: [String], _ lock: SettingMapping.ModeLock?,
        _ button: SettingMapping.ModeValue?
    ) throws(SettingRefusal) -> SupportedSetting {
        let number = lock.flatMap { try? numeric($0.value) }
        guard number != nil || button != nil else { throw SettingRefusal(SettingMapping.missing(names)) }
        var supported = SupportedSetting(
            setting, controls: [number?.control.name, button?.button].compactMap(\.self))
        supported.choices = number == nil ? [] : [.mode(.manual), .mode(.locked)]
        supported.current = supported.choices.first
        if let button { supported.choices.append(.mode(button.mode)) }
        return supported
    }

    private func lock(_ bit: Int64) -> DeviceControl? {
        SettingsResolver(camera: self, settings: CaptureSettings()).lockControl(bit)
    }

    private func supportedTorch(_ torch: Torch) -> SupportedSetting {
        var supported = SupportedSetting(
            .torchLevel, controls: [torch.mode.name] + (torch.intensity.map { [$0.control.name] } ?? []))
        let off = RangeFraction(millionths: 0).map(SettingValue.fraction)
        let full = RangeFraction(millionths: 1_000_000).map(SettingValue.fraction)
        (supported.minimum, supported.maximum) = (off, full)
        if torch.intensity == nil { supported.choices = [off, full].compactMap(\.self) }
        supported.current = torch.present
        return supported
    }

    private func supportedGains(_ red: [String], _ blue: [String]) throws(SettingRefusal) -> SupportedSetting {
        let names = [try usable(red).name, try usable(blue).name]
        var settings = CaptureSettings()
        if let request = SettingRequest(.whiteBalanceGains, .current) { try? settings.add(.setting(request)) }
        var supported = SupportedSetting(.whiteBalanceGains, controls: names)
        for name in names where peculiarities?.curves[name] == nil {
            throw SettingRefusal(
                "neither V4L2 nor a measured curve defines the gains of its control '\(name)'; driver.\(name)=N sets it"
            )
        }
        if case .set(let value) = resolve(settings).outcomes.first?.result { supported.current = value }
        return supported
    }

    private func supportedStream(_ setting: CaptureSetting) throws(SettingRefusal) -> SupportedSetting {
        var supported = SupportedSetting(setting)
        supported.current = presentStream(setting)
        if setting == .format {
            supported.choices = formatTexts.compactMap { RequestedFormat(parsing: $0).map(SettingValue.format) }
            guard !supported.choices.isEmpty else {
                throw SettingRefusal("the driver does not report the camera's sizes")
            }
            return supported
        }
        let intervals = capabilities.formats.filter { format == nil || $0.pixelFormat == format?.pixelFormat }
            .flatMap(\.sizes).filter { $0.offers(format) }.flatMap(\.intervals)
        let ends = intervals.flatMap { [$0.shortestNanoseconds, $0.longestNanoseconds] }.filter { $0 > 0 }
        guard let least = ends.min(), let most = ends.max() else {
            throw SettingRefusal("the driver does not report frame rates")
        }
        supported.minimum = PhysicalQuantity(least, .duration).map(SettingValue.quantity)
        supported.maximum = PhysicalQuantity(most, .duration).map(SettingValue.quantity)
        return supported
    }
}

extension SizeOffer {
    fileprivate func offers(_ format: VideoFormat?) -> Bool {
        guard let format else { return true }
        return format.width >= widths.smallest && format.width <= widths.largest && format.height >= heights.smallest
            && format.height <= heights.largest
    }
}
