public import CaptureModel

extension SettableCamera {
    /// Determines what a request means for this camera. Changes nothing.
    public func resolve(_ settings: CaptureSettings) -> SettingsPlan {
        var resolver = SettingsResolver(camera: self, settings: settings)
        return resolver.plan()
    }
}

/// Collects what the entries of a request set, and in which order.
struct SettingsResolver {
    let camera: SettableCamera
    let settings: CaptureSettings
    private var modes: [DriverValue] = []
    private var values: [DriverValue] = []
    private(set) var notes: [String] = []
    private var stream: StreamChange?
    /// The values of modes that will do for all entries so far, by the mode's control.
    private var allowed: [String: [Int64]] = [:]
    /// The bits of `3a_lock` that the entries set and clear.
    private var locks: (set: Int64, cleared: Int64) = (0, 0)

    init(camera: SettableCamera, settings: CaptureSettings) {
        self.camera = camera
        self.settings = settings
    }

    mutating func plan() -> SettingsPlan {
        // Modes first, so that values know which are requested. Outcomes stay in the order of the request.
        let order = settings.entries.indices.sorted { rank($0) < rank($1) }
        var results = [SettingOutcome.Result](
            repeating: .refused("the request was not examined"), count: settings.entries.count)
        for index in order {
            do throws(SettingRefusal) {
                results[index] = try result(of: settings.entries[index])
            } catch {
                results[index] = .refused(error.reason)
            }
        }
        let outcomes = zip(settings.entries, results).map(SettingOutcome.init)
        addLock()
        return SettingsPlan(
            outcomes: outcomes, change: SettingsChange(driverValues: modes + values, stream: stream, notes: notes))
    }

    private func rank(_ index: Int) -> (Int, Int) {
        switch settings.entries[index] {
        case .driver: (0, index)
        case .setting(let request):
            switch SettingMapping.of(request.setting).target {
            case .modes: (1, index)
            // After all that have needs of their own, because it only joins them.
            default: (SettingMapping.of(request.setting).needs.contains { !$0.isImplied } ? 3 : 2, index)
            }
        }
    }

    private mutating func result(of entry: CaptureSettings.Entry) throws(SettingRefusal) -> SettingOutcome.Result {
        switch entry {
        case .driver(let request): return try driver(request)
        case .setting(let request):
            let mapping = SettingMapping.of(request.setting)
            switch mapping.target {
            case .none: throw SettingRefusal(mapping.lost)
            case .stream: return try streamResult(request)
            case .modes(let words, let names, let lock): return try mode(request, words, names, lock)
            case .number, .lens: return try number(request, mapping)
            case .torch(let mode, let intensity): return try torch(request, mode, intensity)
            case .gains(let red, let blue): return try gains(request, mapping, red, blue)
            }
        }
    }

    // MARK: What is set

    /// Adds a value to set.
    /// - Throws: If another entry sets the same control to another value.
    mutating func add(_ control: DeviceControl, _ value: Int64, isMode: Bool) throws(SettingRefusal) {
        if let present = (modes + values).first(where: { $0.control == control.name }) {
            guard present.value != value else { return }
            throw SettingRefusal("another setting of the same request sets its control '\(control.name)'; omit one")
        }
        let entry = DriverValue(
            control: control.name, value: value, delay: camera.peculiarities?.delays[control.name])
        if isMode { modes.append(entry) } else { values.append(entry) }
    }

    func planned(_ control: String) -> Int64? {
        (modes + values).first { $0.control == control }?.value
    }

    mutating func note(_ text: String) {
        if !notes.contains(text) { notes.append(text) }
    }

    mutating func changeStream(_ change: (inout StreamChange) -> Void) {
        var new = stream ?? StreamChange()
        change(&new)
        stream = new
    }

    // MARK: Automatic modes

    /// Sets the modes without which a value has no effect.
    mutating func meet(_ needs: [ModeNeed], for setting: CaptureSetting, _ control: DeviceControl)
        throws(SettingRefusal)
    {
        var isControlled = false
        for need in needs {
            guard let mode = camera.control(need.controls), let domain = RawSequence(mode) else { continue }
            isControlled = true
            try meet(need, mode, domain, for: setting)
        }
        guard isControlled || !control.isInactive else {
            throw SettingRefusal(
                "its control '\(control.name)' has no effect at present, and it is not known which other control decides that; set that one first"
            )
        }
    }

    private mutating func meet(
        _ need: ModeNeed, _ mode: DeviceControl, _ domain: RawSequence, for setting: CaptureSetting
    ) throws(SettingRefusal) {
        let possible = (allowed[mode.name] ?? need.values).filter { need.values.contains($0) && domain.contains($0) }
        if let value = planned(mode.name) {
            if isImplied(mode) { allowed[mode.name] = possible }
            guard !need.values.contains(value) else { return }
            guard isImplied(mode), let better = possible.first else { throw contradiction(mode, value, need) }
            replace(mode.name, better)
            return
        }
        guard need.isImplied else {
            guard let value = mode.value, !need.values.contains(value) else { return }
            throw SettingRefusal(
                "it has no effect while '\(mode.name)' is \(value); set a mode in the same request, such as exposureMode=auto"
            )
        }
        // A mode that leaves the value to the user stays as it is, but is set, in case it changes before then.
        let present = mode.value.flatMap { possible.contains($0) ? $0 : nil }
        guard let value = present ?? possible.first, !mode.isReadOnly else {
            throw SettingRefusal("its automatic mode '\(mode.name)' cannot be switched off")
        }
        allowed[mode.name] = possible
        try add(mode, value, isMode: true)
        if mode.value != value { note("\(setting.rawValue) sets '\(mode.name)' to \(value)") }
    }

    private func isImplied(_ mode: DeviceControl) -> Bool { allowed[mode.name] != nil }

    private mutating func replace(_ control: String, _ value: Int64) {
        for index in modes.indices where modes[index].control == control { modes[index].value = value }
    }

    private func contradiction(_ mode: DeviceControl, _ value: Int64, _ need: ModeNeed) -> SettingRefusal {
        let accepted = need.values.map(String.init).joined(separator: " or ")
        return SettingRefusal(
            "the same request sets '\(mode.name)' to \(value), with which it has no effect; it needs \(accepted)")
    }

    // MARK: 3a_lock

    /// - Throws: If another entry of the request sets the lock by its name.
    mutating func lock(_ bit: Int64, _ isLocked: Bool) throws(SettingRefusal) {
        guard planned(SettingMapping.lockControl) == nil else {
            throw SettingRefusal(
                "another setting of the same request sets '\(SettingMapping.lockControl)', which this one changes; omit one"
            )
        }
        if isLocked { locks.set |= bit } else { locks.cleared |= bit }
    }

    /// Returns the camera's lock, if it has one with this bit.
    func lockControl(_ bit: Int64) -> DeviceControl? {
        guard let control = camera.control(SettingMapping.lockControl), control.kind == .bitmask, !control.isReadOnly,
            control.maximum & bit == bit
        else { return nil }
        return control
    }

    private mutating func addLock() {
        guard locks.set | locks.cleared != 0, let control = camera.control(SettingMapping.lockControl) else { return }
        let present = control.value ?? 0
        let value = (present & ~locks.cleared) | locks.set
        guard locks.set != 0 || value != present else { return }
        let entry = DriverValue(
            control: control.name, value: value, delay: camera.peculiarities?.delays[control.name])
        // Unlocked before values are set, locked after the modes that it freezes.
        if locks.set == 0 { modes.insert(entry, at: 0) } else { values.append(entry) }
    }
}
