import CameraSettings
import CaptureModel

/// A control that a transaction sets.
struct ControlChange: Hashable, Sendable {
    /// As `DeviceControl.name` spells it.
    var control: String
    /// Its value before; nil if it cannot be read.
    var old: Int64?
    var new: Int64
    /// How late the camera acts, if that was measured.
    var delay: FrameDelay?

    /// Whether pictures may change.
    var isChange: Bool { old != new && !FocusControl.isOfNode(control) }

    /// Whether it is part of focusing once.
    var isFocusing: Bool { control == FocusControl.start || FocusControl.continuous.contains(control) }
}

extension [ControlChange] {
    /// The delays of all together; nil unless each has one.
    var commonDelay: FrameDelay? {
        let delays = compactMap(\.delay)
        guard delays.count == count, let fewest = delays.map(\.fewest).min(), let most = delays.map(\.most).max()
        else { return nil }
        let middles = delays.compactMap(\.middleThousandths)
        var middle: Int?
        if middles.count == count, let first = middles.min(), let last = middles.max() { middle = (first + last) / 2 }
        return FrameDelay(fewest: fewest, most: most, middleThousandths: middle)
    }

    /// Returns the exposure times that frames may have while these changes come into the pictures; nil if none concerns
    /// the exposure time.
    /// - Parameter interval: Time from frame to frame, which a camera's own choice does not exceed.
    func exposures(interval: Duration) -> ClosedRange<Duration>? {
        let concerned = filter { $0.isChange && ($0.control.contains("exposure") || $0.control == "3a_lock") }
        let isKnown = concerned.allSatisfy { $0.old != nil && StatedChange.isExposure($0.control) }
        let times = StatedChange.exposures(of: concerned) + (isKnown ? [] : [.zero, interval])
        guard let shortest = times.min(), let longest = times.max() else { return nil }
        return shortest...longest
    }
}

/// What a transaction sets at a camera, what undoes it, and the answer to its prepare.
struct PreparedSettings: Hashable, Sendable {
    var preparation: SettingsPreparation
    /// One for each control that is set.
    var changes: [ControlChange]
    /// The values that undo it.
    var undo: [String: Int64]
    /// How the stream is opened again; nil if it stays open.
    var stream: StreamExchange?
    /// The buttons among the controls, which are pressed and keep no value.
    var buttons: Set<String> = []
    /// ``FocusControl/status`` before; nil if the camera does not have it.
    var focusStatus: Int64?

    /// Whether the lead is counted from the middle of an exposure: it was measured so.
    var leadsToFrame: Bool { changes.filter(\.isChange).commonDelay?.middleThousandths != nil }

    var values: [String: Int64] {
        Dictionary(changes.map { ($0.control, $0.new) }, uniquingKeysWith: { $1 })
    }

    init(preparation: SettingsPreparation, changes: [ControlChange] = [], undo: [String: Int64] = [:]) {
        (self.preparation, self.changes, self.undo) = (preparation, changes, undo)
    }

    /// - Parameters:
    ///   - camera: With the controls of the open stream.
    ///   - interval: Time from frame to frame.
    ///   - configured: What the session requests from the camera.
    init(
        _ settings: CaptureSettings, for camera: SettableCamera, interval: Duration,
        configured: ConfiguredFormat = ConfiguredFormat()
    ) {
        let plan = camera.resolve(settings)
        guard let change = plan.change else {
            self.init(preparation: SettingsPreparation(outcomes: plan.outcomes))
            return
        }
        let stream = change.stream.flatMap { StreamExchange($0, of: camera.format, configured) }
        let controls = camera.capabilities.controls
        let present = Dictionary(controls.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let changes = change.driverValues.map {
            ControlChange(control: $0.control, old: present[$0.control]?.value, new: $0.value, delay: $0.delay)
        }
        let changed = changes.filter(\.isChange)
        var lead = Duration.zero
        if stream == nil, !changed.isEmpty, let delay = changed.commonDelay {
            lead = delay.lead(interval: interval)
        }
        let buttons = Set(changes.map(\.control).filter { present[$0]?.kind == .button })
        let chosen = SettingMapping.chosen(by: buttons).compactMap { present[$0] }
        let put =
            changes.filter { !buttons.contains($0.control) }
            + chosen.map { ControlChange(control: $0.name, old: $0.value, new: 0) }
        let undo = Self.undoing(put, present)
        let earlier = put.allSatisfy { $0.old != nil } ? CaptureSettings(driverValues: undo) : nil
        self.init(
            preparation: SettingsPreparation(
                outcomes: plan.outcomes, notes: change.notes, leadNanoseconds: lead.nanoseconds,
                earlier: stream == nil ? earlier : camera.format.flatMap { earlier?.with($0) }),
            changes: changes, undo: undo)
        (self.stream, self.buttons) = (stream, buttons)
        focusStatus = present[FocusControl.status]?.value
    }

    /// Returns the present values. A value that the camera has chosen automatically is not put back, because the camera
    /// does not accept one in that mode; the mode is put back.
    private static func undoing(
        _ changes: [ControlChange], _ present: [String: DeviceControl]
    ) -> [String: Int64] {
        var values: [String: Int64] = [:]
        for change in changes { values[change.control] = change.old }
        for name in values.keys where present[name]?.isInactive == true { values[name] = nil }
        for name in SettingMapping.automatic({ present[$0]?.value }) { values[name] = nil }
        return values
    }
}

extension CaptureSettings {
    /// Returns these settings and those that request the format and frame interval of a stream.
    /// - Returns: nil if they are too many.
    func with(_ stream: VideoFormat) -> CaptureSettings? {
        var all = self
        do throws(SettingsTextError) {
            let format = "\(stream.pixelFormat.rawValue):\(stream.width)x\(stream.height)"
            try all.add(.setting(try SettingRequest(.format, parsing: format)))
            let interval = stream.frameInterval.nanoseconds
            if interval > 0 {
                try all.add(.setting(try SettingRequest(.minimumFrameDuration, parsing: "\(interval)ns")))
            }
        } catch {
            return nil
        }
        return all
    }
}

extension FrameDelay {
    /// How long before T controls are set.
    /// - Parameter interval: Time from frame to frame.
    fileprivate func lead(interval: Duration) -> Duration {
        middleThousandths.map { interval * $0 / 1000 } ?? interval * (fewest + most) / 2
    }
}

extension SettingOutcome {
    /// Returns the refusal of an entry that needs a stream, for a camera that has none; nil for others.
    static func refusedOfStream(_ entry: CaptureSettings.Entry) -> SettingOutcome? {
        // It would wait in vain.
        if let reason = entry.universalRefusal { return SettingOutcome(entry: entry, result: .refused(reason)) }
        if case .setting(let request) = entry, request.value == .mode(.once) {
            return SettingOutcome(
                entry: entry,
                result: .refused(
                    "a camera focuses on its pictures, and this one does not stream; start it, then set it"))
        }
        guard case .setting(let request) = entry, ofStream.contains(request.setting), request.value != .current
        else { return nil }
        return SettingOutcome(
            entry: entry,
            result: .refused("it changes the stream, and the camera does not stream; start it, then set it again"))
    }

    private static let ofStream: Set<CaptureSetting> = [.format, .minimumFrameDuration, .maximumFrameDuration]
}
