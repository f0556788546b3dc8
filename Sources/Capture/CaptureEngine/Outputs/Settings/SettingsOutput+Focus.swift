import CameraSettings
import CaptureModel

/// Focusing once: for a transaction, and when the scene has changed.
extension SettingsOutput {
    private static let focusControls: Set<String> = [FocusControl.status, FocusControl.position]

    /// Waits until a camera that a transaction has told to focus has done so.
    /// - Returns: When its driver had said so; nil if it was not told to focus, or its driver does not say anything.
    /// - Throws: `unsupportedSettings` if the driver says that it has failed.
    func awaitFocus(
        of prepared: PreparedSettings, pressed: LocalTime, _ id: SettingsID, _ alarm: Alarm
    ) async throws(RigProblem) -> LocalTime? {
        guard prepared.buttons.contains(FocusControl.start) else { return nil }
        var run = FocusRun(before: prepared.focusStatus, pressed: pressed)
        // A task that is cancelled learns nothing more, and neither does one whose stream has ended.
        while controls.transactions.active?.id == id, !Task.isCancelled {
            guard run.next <= now else {
                await alarm.wait(until: run.next)
                continue
            }
            let status = try? await controls.values(of: Self.focusControls)[FocusControl.status]
            switch run.look(status, at: now) {
            case .reached?: return now
            case .failed?:
                throw RigProblem(
                    .unsupportedSettings,
                    "\(device): its driver says that focusing has failed, wherever the lens is; the other values are set. Give it something with contrast, or set lensPosition"
                )
            case .unknown?, .interrupted?: return nil
            case nil: break
            }
        }
        return nil
    }

    /// Returns when the camera does not focus because of its scene; after ``FocusRun/limit`` at the latest.
    func awaitRefocus() async {
        while controls.refocusing.underWay != nil { await waiters.waitForChange() }
    }

    /// Lets the camera focus if its scene has changed and nothing needs it as it is, and looks how far it is.
    func refocus() async {
        if let cut = controls.refocusing.takeInterrupted() {
            await session.tell([.settings(device, .refocused(cut))])
        }
        if controls.refocusing.isDue(at: now) { return await lookAtFocus() }
        guard controls.refocusing.waiting != nil, isFree else { return }
        // A camera that cannot be read is asked again with the next frame.
        guard let present = try? await controls.asFound(), isFree else { return }
        let focus = PresentFocus(present)
        guard focus.isKept else { return controls.refocusing.dropWaiting() }
        guard let change = controls.refocusing.begin() else { return }
        await press(for: change, focus)
        waiters.wake()
    }

    /// Whether the lens may be moved: a take goes on, and nothing else needs the camera as it is.
    private var isFree: Bool { captures.isCameraUntouched && !captures.isStillInProgress }

    private func press(for change: SceneChange, _ focus: PresentFocus) async {
        let isSettled = controls.isSettled
        let isDropped = desired.dropChosen(by: [FocusControl.start])
        // The settings of a transaction that has set the lens are no longer those of the camera.
        restoration.end()
        controls.revisions.begin(
            isDropped ? nil : controls.revisions.newest, after: controls.lastFrame(before: now)?.sequence)
        let number = controls.revisions.number
        var refocus = Refocus(change: change, outcome: .unknown, pressed: now, positionBefore: focus.position)
        do throws(RigProblem) {
            let press = try await controls.set([FocusControl.start: 1])
            refocus.pressed = press.accepted
            let isGoing = controls.refocusing.pressed(
                Refocusing.UnderWay(
                    refocus: refocus, run: FocusRun(before: focus.status, pressed: press.accepted), number: number,
                    began: press.began, isSettled: isSettled))
            if !isGoing {
                refocus.outcome = .interrupted
                await session.tell([.settings(device, .refocused(refocus))])
            }
        } catch {
            controls.refocusing.refused()
            if error.code == .unsupportedSettings { controls.revisions.refused(number) }
            refocus.problem = error
            await session.tell([.settings(device, .refocused(refocus))])
        }
        if isDropped { await desired.store() }
    }

    private func lookAtFocus() async {
        let values = (try? await controls.values(of: Self.focusControls)) ?? [:]
        guard
            let ended = controls.refocusing.look(
                values[FocusControl.status], position: values[FocusControl.position], at: now)
        else { return }
        if ended.number == controls.revisions.number {
            controls.revisions.accepted()
            if ended.refocus.outcome == .reached {
                restoration.watch(focusing: ended, until: now)
            }
        }
        waiters.wake()
        await session.tell([.settings(device, .refocused(ended.refocus))])
    }
}

/// The focus of a camera at present.
private struct PresentFocus {
    /// The bit of `3a_lock` for the focus (`V4L2_LOCK_FOCUS`).
    private static let lock: Int64 = 4

    var status: Int64?
    var position: Int64?
    /// Whether the lens stays where it is, and may be moved. Otherwise the camera focuses continuously, or is locked.
    var isKept: Bool

    init(_ controls: [DeviceControl]) {
        let values = Dictionary(controls.compactMap { control in control.value.map { (control.name, $0) } }) { $1 }
        (status, position) = (values[FocusControl.status], values[FocusControl.position])
        let mode = FocusControl.continuous.lazy.compactMap { values[$0] }.first ?? 0
        isKept = mode == 0 && (values[SettingMapping.lockControl] ?? 0) & Self.lock == 0
    }
}
