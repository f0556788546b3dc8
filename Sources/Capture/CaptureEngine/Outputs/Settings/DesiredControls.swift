import CameraSettings
import CaptureModel

/// What a camera is to have, and when it is looked at and set again. A value without a clock or hardware.
///
/// | what happens | the desired values | what the session does |
/// |---|---|---|
/// | a transaction has set the camera | get its values and its id; values that an automatic mode now chooses are dropped, and the lens position if it has pressed the button to focus | stores them |
/// | it is undone | are those of before it; if these are forgotten, those that were put back | stores them |
/// | a client sets controls by name | of these controls, those that are desired get the client's values | stores them |
/// | the camera has focused because its scene has changed | lose the lens position, and then the id | stores them |
/// | the camera is opened | – | sets the controls that differ |
/// | it streams, and ``checkInterval`` has passed, after drift ``driftInterval`` | – | reads the controls; sets those that differ |
/// | a transaction is committed while the camera does not stream | wait for its start, at most ``DesiredSettings/deferredLimit`` | stores them |
/// | it is undone before the camera starts | no longer wait | stores them |
/// | a transaction is given up before the camera was set | – | stores its id, so that it is never prepared |
/// | another camera becomes the session's input | are those of that camera | – |
struct DesiredControls: Sendable {
    /// Time from one look at the controls of a camera that streams to the next.
    static let checkInterval = Duration.seconds(5)
    /// The same after another program has set the camera, so that the two do not do so all the time.
    static let driftInterval = Duration.seconds(10)
    /// The transactions that can be undone to what was desired before them: as many as ``SettingsMachine`` keeps.
    private static let replacedLimit = SettingsMachine.keptLimit

    /// nil if no transaction has set the camera.
    private(set) var settings: DesiredSettings?
    /// What was desired before each of the newest transactions.
    private var replaced: [(id: SettingsID, settings: DesiredSettings?)] = []
    private var nextCheck: LocalTime?
    /// How many times the camera was set again because it had other values while it streamed.
    private(set) var driftCount = 0

    /// Transactions that were given up before the camera was set, oldest first.
    private(set) var givenUp: [SettingsID] = []

    init(_ stored: DesiredSettings? = nil) {
        settings = stored?.isEmpty == true ? nil : stored
        settings?.givenUp = []
        givenUp = stored?.givenUp ?? []
    }

    /// What is stored of the camera.
    var stored: DesiredSettings? {
        guard !givenUp.isEmpty else { return settings }
        var stored = settings ?? DesiredSettings(revision: nil, make: nil, model: nil, values: [:])
        stored.givenUp = givenUp
        return stored
    }

    /// Notes that a transaction is never to be prepared.
    mutating func giveUp(_ id: SettingsID) {
        guard !givenUp.contains(id) else { return }
        givenUp.append(id)
        if givenUp.count > DesiredSettings.givenUpLimit { givenUp.removeFirst() }
    }

    // MARK: Changes

    /// Notes the values that a transaction has set.
    /// - Parameters:
    ///   - buttons: Those that it has pressed.
    ///   - revision: nil if it has set more than is kept.
    ///   - id: The transaction.
    mutating func set(
        _ values: [String: Int64], pressing buttons: Set<String> = [], by revision: SettingsID?,
        replacing id: SettingsID, make: String?, model: String?
    ) {
        replaced.append((id, settings))
        if replaced.count > Self.replacedLimit { replaced.removeFirst() }
        var all = settings.map { $0.isOf(make, model) ? $0.values : [:] } ?? [:]
        all.merge(values) { $1 }
        all.removeAutomatic()
        for name in SettingMapping.chosen(by: buttons) { all[name] = nil }
        settings = DesiredSettings(
            revision: revision, make: make, model: model, values: all,
            deferred: (settings?.deferred ?? []).filter { $0.id != id })
    }

    /// Notes the values that the camera has accepted instead of those that were set.
    mutating func accept(_ values: [String: Int64]) {
        for (name, value) in values where settings?.values[name] != nil { settings?.values[name] = value }
    }

    /// Notes settings for the camera's next start.
    /// - Returns: false if too many wait already.
    mutating func add(_ waiting: DeferredSettings) -> Bool {
        if isDeferred(waiting.id) { return true }
        guard (settings?.deferred.count ?? 0) < DesiredSettings.deferredLimit else { return false }
        if settings == nil { settings = DesiredSettings(revision: nil, make: nil, model: nil, values: [:]) }
        settings?.deferred.append(waiting)
        return true
    }

    /// Whether settings wait for the camera's start.
    func isDeferred(_ id: SettingsID) -> Bool { settings?.deferred.contains { $0.id == id } ?? false }

    /// Removes settings that wait for the camera's start.
    mutating func removeDeferred(_ id: SettingsID) { settings?.deferred.removeAll { $0.id == id } }

    /// Whether a later transaction has changed what is desired, so that this one cannot be undone alone.
    func isReplaced(_ id: SettingsID) -> Bool {
        replaced.lastIndex { $0.id == id }.map { $0 < replaced.count - 1 } ?? false
    }

    /// Notes that a transaction is undone.
    /// - Parameter values: Those that were put back.
    mutating func undo(_ id: SettingsID, puttingBack values: [String: Int64]) {
        if let index = replaced.lastIndex(where: { $0.id == id }) {
            settings = replaced[index].settings
            replaced.removeSubrange(index...)
        } else {
            settings?.revision = nil
            settings?.values.merge(values) { $1 }
            settings?.values.removeAutomatic()
        }
    }

    /// Notes that the camera chooses some values again, so that those that were desired are no longer wanted.
    /// - Returns: Whether one was desired.
    mutating func dropChosen(by controls: some Sequence<String>) -> Bool {
        let names = SettingMapping.chosen(by: controls).filter { settings?.values[$0] != nil }
        for name in names { settings?.values[name] = nil }
        if !names.isEmpty { settings?.revision = nil }
        return !names.isEmpty
    }

    /// Notes the values that a client has set by name.
    /// - Returns: Whether one of them is desired.
    mutating func setByName(_ values: [String: Int64]) -> Bool {
        let desired = values.filter { settings?.values[$0.key] != nil }
        let chosen = SettingMapping.automatic { values[$0] }
        guard !desired.isEmpty || settings?.values.keys.contains(where: chosen.contains) == true else { return false }
        settings?.revision = nil
        settings?.values.merge(desired) { $1 }
        // A mode that is not desired itself may choose values that are.
        let kept = settings?.values ?? [:]
        var all = kept.merging(values) { $1 }
        all.removeAutomatic()
        settings?.values = all.filter { kept[$0.key] != nil }
        return true
    }

    // MARK: Looking

    /// Whether the controls are to be read now.
    mutating func isDue(at now: LocalTime) -> Bool {
        guard settings?.values.isEmpty == false else { return false }
        guard let next = nextCheck else {
            nextCheck = now + Self.checkInterval
            return false
        }
        guard next <= now else { return false }
        nextCheck = now + Self.checkInterval
        return true
    }

    /// Notes that the camera is set again because it had other values.
    mutating func noteDrift(at now: LocalTime) {
        nextCheck = now + Self.driftInterval
        driftCount += 1
    }

    /// Returns the controls that have other values than desired, by name. One that the camera does not have, of which it
    /// only reports the value, or whose value it chooses itself in a mode that nobody has desired, is not compared. None if
    /// the values are those of other hardware.
    func differences(from controls: [DeviceControl], make: String?, model: String?) -> [ControlDifference] {
        guard let settings, settings.isOf(make, model) else { return [] }
        let values = settings.values
        let present = Dictionary(controls.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        return controls.compactMap { control in
            guard let desired = values[control.name], desired != control.value, !control.isReadOnly else { return nil }
            let isModeSet = SettingMapping.modes(of: control.name).contains { mode in
                values[mode].map { $0 != present[mode] } ?? false
            }
            guard !control.isInactive || isModeSet else { return nil }
            return ControlDifference(control: control.name, desired: desired, found: control.value)
        }
        .sorted { $0.control < $1.control }
    }
}

extension [String: Int64] {
    /// Removes the values that the camera chooses itself in one of the modes among them.
    fileprivate mutating func removeAutomatic() {
        for name in SettingMapping.automatic({ self[$0] }) { self[name] = nil }
    }
}

extension DesiredSettings {
    /// Whether the camera is to have nothing.
    fileprivate var isEmpty: Bool {
        revision == nil && make == nil && model == nil && values.isEmpty && deferred.isEmpty
    }

    /// Whether the values were accepted by a camera of this hardware.
    func isOf(_ make: String?, _ model: String?) -> Bool { self.make == make && self.model == model }
}
