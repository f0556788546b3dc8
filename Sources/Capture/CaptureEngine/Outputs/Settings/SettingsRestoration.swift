import CameraKit
import CameraSettings
import CaptureModel

/// Gives a camera what it is to have: when it is opened, and where another program has changed it. Finds the frames that
/// show these values.
final class SettingsRestoration {
    private unowned let session: any SessionAccess
    private let controls: CameraControls
    private let captures: PendingCaptures
    private let desired: DesiredSettingsStore
    /// The values whose frames are looked for.
    private var watched: Watched?
    /// The newest frame when the camera was last looked at and had what it is to have.
    private var lastChecked: UInt64?

    /// Values that no transaction has set at an instant, and the frames that show them.
    private struct Watched {
        /// The change of `controls.revisions` that it is.
        let number: UInt64
        let changes: [ControlChange]
        let began: LocalTime
        let accepted: LocalTime
        /// When the driver had told that the camera had focused; nil if it was not told to.
        let focused: LocalTime?
        /// Whether no earlier change of the controls was on its way into the pictures.
        let isSettled: Bool
        /// nil until a frame shows whether frames state their values.
        var watch: ChangeoverWatch?
    }

    init(
        _ session: any SessionAccess, controls: CameraControls, captures: PendingCaptures,
        desired: DesiredSettingsStore
    ) {
        self.session = session
        self.controls = controls
        self.captures = captures
        self.desired = desired
    }

    private var device: DeviceID { session.device.id }
    private var now: LocalTime { session.clock.now() }

    /// Begins with the frames of another stream.
    func streamOpened() { (watched, lastChecked) = (nil, nil) }

    /// Notes that something else sets the controls.
    func end() { watched = nil }

    /// Looks for the frames with which the camera has focused because of its scene.
    func watch(focusing ended: Refocusing.UnderWay, until focused: LocalTime) {
        watched = Watched(
            number: ended.number, changes: [ControlChange(control: FocusControl.start, old: nil, new: 1)],
            began: ended.began, accepted: ended.refocus.pressed, focused: focused, isSettled: ended.isSettled)
    }

    /// Sets the controls of a camera that was just opened, before its first frame.
    func restore() async {
        await desired.load()
        guard let settings = desired.settings else { return }
        let hardware = session.knowledge.hardware
        if !settings.values.isEmpty, !settings.isOf(hardware.make, hardware.model) {
            let problem = RigProblem(
                .unsupportedSettings,
                "\(device) is another camera than the one that was set, so its settings are not given to it; set them again"
            )
            await session.tell([.settings(device, .notRestored(problem))])
            guard !settings.deferred.isEmpty else { return }
        }
        await give(settings.deferred, after: nil)
    }

    /// Gives the camera what it is to have.
    /// - Parameters:
    ///   - waiting: The settings that have waited for its start.
    ///   - frame: The number of the last frame that surely has the settings before; nil if no frame has.
    private func give(_ waiting: [DeferredSettings], after frame: UInt64?) async {
        do throws(RigProblem) {
            let present = try await controls.asFound()
            await begin(waiting, present)
            let revision = desired.settings?.revision
            let differences = desired.differences(from: present)
            if !differences.isEmpty {
                await session.tell([.settings(device, .restored(revision, differences))])
                desired.accept(try await set(differences, revision, after: frame))
            } else {
                controls.revisions.found(revision)
            }
            if !waiting.isEmpty { await desired.store() }
        } catch {
            await tell(notRestored: error)
        }
    }

    /// Makes settings that have waited for the camera's start part of what it is to have, one after the other. Those that it
    /// refuses are dropped.
    private func begin(_ waiting: [DeferredSettings], _ present: [DeviceControl]) async {
        for request in waiting {
            let controls = present.map { control in
                var control = control
                control.value = desired.settings?.values[control.name] ?? control.value
                return control
            }
            switch session.resolve(request.settings, controls) {
            case .success(let prepared) where !prepared.preparation.isRefused:
                guard prepared.buttons.isEmpty else {
                    let names = prepared.buttons.sorted().joined(separator: ", ")
                    await drop(
                        request.id,
                        RigProblem(
                            .unsupportedSettings,
                            "\(device) is not changed: \(names) can be pressed only while it streams; set it again"))
                    continue
                }
                desired.begin(prepared.values, of: request.id)
            case .success(let prepared):
                let reasons = prepared.preparation.outcomes.refusals.map(\.description).joined(separator: "; ")
                await drop(request.id, RigProblem(.unsupportedSettings, "\(device) is not changed: \(reasons)"))
            case .failure(let problem): await drop(request.id, problem)
            }
        }
    }

    private func drop(_ id: SettingsID, _ problem: RigProblem) async {
        desired.drop(id)
        await session.tell([.settings(device, .changed(id, .failure(problem)))])
    }

    /// Gives the camera what waits for its start, or looks whether another program has changed it, and sets it again. Does
    /// nothing unless it is time to, and nothing else has the controls.
    func checkDrift() async {
        guard captures.isCameraUntouched else { return }
        // Of a camera that was being opened when they were committed.
        if let waiting = desired.settings?.deferred, !waiting.isEmpty {
            return await give(waiting, after: controls.lastFrame(before: now)?.sequence)
        }
        guard desired.isDue(at: now) else { return }
        // A camera that cannot be read is asked again the next time.
        guard let present = try? await controls.asFound(), captures.isCameraUntouched else { return }
        let (settings, differences) = (desired.settings, desired.differences(from: present))
        guard !differences.isEmpty else {
            lastChecked = controls.frames.last?.sequence
            return
        }
        let count = desired.noteDrift(at: now)
        await session.tell([.settings(device, .drifted(settings?.revision, differences, count: count))])
        // What has the controls at present keeps them. The next look tells whether the camera still differs.
        guard captures.isCameraUntouched else { return }
        do throws(RigProblem) {
            desired.accept(try await set(differences, settings?.revision, after: lastChecked))
        } catch {
            await tell(notRestored: error)
        }
    }

    private func tell(notRestored error: RigProblem) async {
        let problem = RigProblem(error.code, "\(error.message); it does not have the settings that it is to have")
        await session.tell([.settings(device, .notRestored(problem))])
    }

    /// Sets controls that differ from what is desired, and has the frames watched for them.
    /// - Parameter frame: The number of the last frame that surely has the desired values; nil if no frame has.
    /// - Returns: The values read back.
    private func set(
        _ differences: [ControlDifference], _ revision: SettingsID?, after frame: UInt64?
    ) async throws(RigProblem) -> [String: Int64] {
        let changes = differences.map { ControlChange(control: $0.control, old: $0.found, new: $0.desired) }
        let isSettled = controls.isSettled
        if frame == nil { controls.revisions.notFound() }
        controls.revisions.begin(revision, after: frame, exposures: changes.exposures(interval: session.interval))
        let read = try await controls.set(Dictionary(changes.map { ($0.control, $0.new) }, uniquingKeysWith: { $1 }))
        controls.revisions.accepted()
        watched = Watched(
            number: controls.revisions.number, changes: changes, began: read.began, accepted: read.accepted,
            focused: nil, isSettled: isSettled)
        return read.values
    }

    /// Compares the newest frame.
    func look() {
        // Once anything else sets the camera, the frames do not show these values.
        guard let begun = watched, begun.number == controls.revisions.number else {
            watched = nil
            return
        }
        let watch =
            begun.watch
            ?? ChangeoverWatch(
                begun.changes, began: begun.began, accepted: begun.accepted, focused: begun.focused,
                interval: session.interval, newest: controls.frames.last, isOldKnown: false)
        watched?.watch = watch
        guard let change = watch.observed(in: Array(controls.frames), at: now) else { return }
        watched = nil
        guard change.firstNew == nil || begun.isSettled else { return }
        controls.revisions.decide(change, isOldKnown: false)
        if change.firstNew != nil { controls.noteSettled() }
    }
}
