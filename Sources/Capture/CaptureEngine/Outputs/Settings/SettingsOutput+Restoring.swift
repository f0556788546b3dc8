import CameraKit
import CaptureModel

/// Values that a camera was given because it was to have them, and the frames that show them.
struct SettingsRestoration {
    /// The change of `controls.revisions` that it is.
    var number: UInt64
    var changes: [ControlChange]
    var began: LocalTime
    var accepted: LocalTime
    /// When the driver had told that the camera had focused; nil if it was not told to.
    var focused: LocalTime?
    /// Whether no earlier change of the controls was on its way into the pictures.
    var isSettled: Bool
    /// nil until a frame shows whether frames state their values.
    var watch: ChangeoverWatch?
}

/// Giving the camera what it is to have: when it is opened, and where another program has changed it.
extension SettingsOutput {
    /// Sets the controls of a camera that was just opened, before its first frame.
    func restoreDesired() async {
        await load()
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
            let differences = differences(from: present)
            if !differences.isEmpty {
                await session.tell([.settings(device, .restored(revision, differences))])
                desired.accept(try await set(differences, revision, after: frame))
            } else {
                controls.revisions.found(revision)
            }
            if !waiting.isEmpty { await store() }
        } catch {
            await tell(notRestored: error)
        }
    }

    /// Makes settings that have waited for the camera's start part of what it is to have, one after the other. Those that it
    /// refuses are dropped.
    private func begin(_ waiting: [DeferredSettings], _ present: [DeviceControl]) async {
        let hardware = session.knowledge.hardware
        for request in waiting {
            let controls = present.map { control in
                var control = control
                control.value = desired.settings?.values[control.name] ?? control.value
                return control
            }
            switch resolved(request.settings, controls) {
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
                desired.set(
                    prepared.values, by: request.id, replacing: request.id, make: hardware.make, model: hardware.model)
            case .success(let prepared):
                let reasons = prepared.preparation.outcomes.refusals.map(\.description).joined(separator: "; ")
                await drop(request.id, RigProblem(.unsupportedSettings, "\(device) is not changed: \(reasons)"))
            case .failure(let problem): await drop(request.id, problem)
            }
        }
    }

    private func drop(_ id: SettingsID, _ problem: RigProblem) async {
        desired.removeDeferred(id)
        await session.tell([.settings(device, .changed(id, .failure(problem)))])
    }

    /// Gives the camera what waits for its start, or looks whether another program has changed it, and sets it again. Does
    /// nothing unless it is time to, and nothing else has the controls.
    func checkDrift() async {
        guard isUntouched else { return }
        // Of a camera that was being opened when they were committed.
        if let waiting = desired.settings?.deferred, !waiting.isEmpty {
            return await give(waiting, after: lastBefore(now)?.sequence)
        }
        guard desired.isDue(at: now) else { return }
        // A camera that cannot be read is asked again the next time.
        guard let present = try? await controls.asFound(), isUntouched else { return }
        let (settings, differences) = (desired.settings, differences(from: present))
        guard !differences.isEmpty else {
            lastChecked = newestFrame
            return
        }
        desired.noteDrift(at: now)
        let count = desired.driftCount
        await session.tell([.settings(device, .drifted(settings?.revision, differences, count: count))])
        // What has the controls at present keeps them. The next look tells whether the camera still differs.
        guard isUntouched else { return }
        do throws(RigProblem) {
            desired.accept(try await set(differences, settings?.revision, after: lastChecked))
        } catch {
            await tell(notRestored: error)
        }
    }

    /// Whether the camera streams, and nothing has its controls.
    var isUntouched: Bool {
        controls.refocusing.underWay == nil && session.isRunning && session.stream?.purpose == .session
            && controls.transactions.active == nil && !isCameraTaken && controls.areAsFound
    }

    private func differences(from present: [DeviceControl]) -> [ControlDifference] {
        let hardware = session.knowledge.hardware
        return desired.differences(from: present, make: hardware.make, model: hardware.model)
    }

    private func tell(notRestored error: RigProblem) async {
        let problem = RigProblem(error.code, "\(error.message); it does not have the settings that it is to have")
        await session.tell([.settings(device, .notRestored(problem))])
    }

    /// Sets controls that differ from what is desired, and has the frames watched for them.
    /// - Parameter frame: The number of the last frame that surely has the desired values; nil if no frame has.
    /// - Returns: The values read back.
    func set(
        _ differences: [ControlDifference], _ revision: SettingsID?, after frame: UInt64?
    ) async throws(RigProblem) -> [String: Int64] {
        let changes = differences.map { ControlChange(control: $0.control, old: $0.found, new: $0.desired) }
        let isSettled = controls.isSettled
        if frame == nil { controls.revisions.notFound() }
        controls.revisions.begin(revision, after: frame, exposures: changes.exposures(interval: session.interval))
        let read = try await controls.set(Dictionary(changes.map { ($0.control, $0.new) }, uniquingKeysWith: { $1 }))
        controls.revisions.accepted()
        restoration = SettingsRestoration(
            number: controls.revisions.number, changes: changes, began: read.began, accepted: read.accepted,
            isSettled: isSettled)
        return read.values
    }

    func watchRestoration() {
        // Once anything else sets the camera, the frames do not show these values.
        guard let begun = restoration, begun.number == controls.revisions.number else {
            restoration = nil
            return
        }
        let watch =
            begun.watch
            ?? ChangeoverWatch(
                begun.changes, began: begun.began, accepted: begun.accepted, focused: begun.focused,
                interval: session.interval, newest: controls.frames.last, isOldKnown: false)
        restoration?.watch = watch
        guard let change = watch.observed(in: Array(controls.frames), at: now) else { return }
        restoration = nil
        guard change.firstNew == nil || begun.isSettled else { return }
        controls.revisions.decide(change, isOldKnown: false)
        if change.firstNew != nil { controls.noteSettled() }
    }
}
