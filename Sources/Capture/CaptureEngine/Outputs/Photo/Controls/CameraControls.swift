import CameraKit
import CameraSettings
import CaptureModel
import DequeModule
import Spool

/// The controls of a session's camera, and who has them: a capture that sets the camera (flash, bracket), a settings
/// transaction, or a client that sets controls by name. Everything that sets or reads them to set them later goes through
/// here, one at a time.
///
/// | has the controls | from | until |
/// |---|---|---|
/// | a capture that sets the camera, or is larger than the stream | it is being armed | it has ended, and its values are put back |
/// | a transaction | it is being prepared | it has its outcome |
/// | a client, a capture's values that are put back | the call | its end |
///
/// The first two exclude each other and clients; ``PendingCaptures`` knows the captures, ``transactions`` the
/// transactions. The values that a capture puts back are also in the spool, so that an end of the process does not leave
/// the camera changed.
final class CameraControls {
    private unowned let session: any SessionAccess
    /// The transactions of the camera.
    var transactions: SettingsMachine
    /// The settings of the frames of the open stream.
    var revisions = SettingsRevisions()
    /// Focusing when the scene changes.
    var refocusing = Refocusing()
    /// Whether the device was found to have a button to focus.
    private var hasFocusButton = false
    /// What the newest frames of the open stream state.
    private(set) var frames: Deque<FrameFacts> = []
    /// The frames that are kept: as many as a change may take, and those before.
    private static let frameLimit = 256
    /// What a capture has set or put back last; nil once anyone else has set the controls.
    private var setting: AppliedSetting?
    /// The change of ``revisions`` that it is.
    private var settingNumber: UInt64 = 0
    /// The values that undo a capture's settings; empty if the controls are as they were found.
    private var undo: [String: Int64] = [:]
    /// The values that a capture has set, as they were read back.
    private var applied: [String: Int64] = [:]
    /// Whether ``revisions`` knows that the values are being put back.
    private var isPuttingBack = false
    /// When putting back was last tried.
    private var lastAttempt = LocalTime(nanoseconds: 0)
    /// When the controls were last set, if it is not known that the pictures have the values.
    private var unsettledSince: LocalTime?
    /// Whether the open device has a steady light; nil before it was asked.
    private(set) var light: SessionAbilities.Ability?
    /// Whether the device is being asked, and who waits for that: captures, and requests about the device, of which a
    /// node carries out a bounded number at a time.
    private var isBusy = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    init(_ session: any SessionAccess) {
        self.session = session
        transactions = SettingsMachine(device: session.device.id)
    }

    /// Whether no capture has set a control, or all are put back.
    var areAsFound: Bool { undo.isEmpty }

    /// Whether the pictures have the values of the controls: these were set longer ago than any camera takes.
    var isSettled: Bool {
        unsettledSince.map { session.clock.now() - $0 >= session.interval * FrameDelay.limit } ?? true
    }

    private var device: DeviceID { session.device.id }

    /// Notes that the pictures have the values that were set last.
    func noteSettled() { unsettledSince = nil }

    /// Returns why a transaction keeps others from setting the controls; nil if none is in progress.
    var transactionInProgress: RigProblem? {
        transactions.inProgress(at: session.clock.now()).map {
            RigProblem(
                .conflict, "\(device): settings transaction \($0) is in progress; try again when it has ended")
        }
    }

    /// Returns why a transaction keeps captures from frames of the stream; nil if none is about to open it again.
    var reopeningInProgress: RigProblem? {
        transactions.reopening(at: session.clock.now()).map {
            RigProblem(
                .conflict,
                "\(device): settings transaction \($0) opens its stream again, which would cut the capture; try again when it has ended"
            )
        }
    }

    /// Returns what is known of a frame of the open stream.
    func facts<Payload>(of frame: StampedFrame<Payload>) -> FrameExposure {
        FrameExposure(
            of: frame, revisions: revisions, isStated: session.stream?.stream.statesFrameValues == true,
            interval: session.interval)
    }

    // MARK: Frames

    /// Begins with the frames of another stream.
    func streamOpened() {
        frames = []
        setting = nil
        revisions.streamOpened()
    }

    /// Compares a frame of the open stream with what was set.
    func receive(_ frame: FrameFacts) {
        frames.append(frame)
        if frames.count > Self.frameLimit { frames.removeFirst() }
        if isSettled { revisions.settle(at: frame.sequence) }
        observe()
    }

    private func observe() {
        guard let change = setting?.observe(Array(frames), at: session.clock.now()) else { return }
        // Frames that show these values do not show those of an earlier change, which may still come, or of a later one.
        guard settingNumber == revisions.number, change.firstNew == nil || setting?.watch.isOldKnown == true else {
            return
        }
        revisions.decide(change)
        if change.firstNew != nil { noteSettled() }
    }

    /// Returns the last frame whose exposure surely ended before an instant.
    func lastFrame(before instant: LocalTime) -> FrameFacts? {
        frames.last { $0.ended(before: instant, longest: session.interval) }
    }

    // MARK: One at a time

    private func takeTurn() async {
        if isBusy { await withCheckedContinuation { waiters.append($0) } }
        isBusy = true
    }

    private func endTurn() {
        // `isBusy` stays true for the next waiter, so that no other call gets in between.
        if waiters.isEmpty { isBusy = false } else { waiters.removeFirst().resume() }
    }

    /// Sets controls of a stream; call it in turn.
    private func set(
        _ values: [String: Int64], of stream: any CameraStream
    ) async throws(CameraError) -> [String: Int64] {
        // What the node does not add, the driver refuses by name.
        let ofNode = hasFocusButton ? try refocusing.values(in: values, device) : [:]
        let ofDriver = values.filter { ofNode[$0.key] == nil }
        guard !ofDriver.isEmpty else {
            refocusing.set(ofNode)
            return ofNode
        }
        setting = nil
        defer { unsettledSince = session.clock.now() }
        let read = try await stream.setControls(ofDriver)
        refocusing.set(ofNode)
        return read.merging(ofNode) { $1 }
    }

    /// Sets controls for a capture, or puts them back, beside the settings that are in force; call it in turn.
    private func setAside(
        _ values: [String: Int64], of stream: any CameraStream, isRepeat: Bool = false
    ) async throws(CameraError) -> AppliedSetting {
        let present = undo.merging(applied) { $1 }
        let delays = delays
        var changes = values.map {
            ControlChange(control: $0.key, old: present[$0.key], new: $0.value, delay: delays[$0.key])
        }
        let isOldKnown = isSettled
        // A frame that has arrived was exposed before.
        if !isRepeat {
            revisions.begin(
                revisions.newest, after: frames.last?.sequence, exposures: changes.exposures(interval: session.interval)
            )
            settingNumber = revisions.number
        }
        let began = session.clock.now()
        let read = try await set(values, of: stream)
        if settingNumber == revisions.number { revisions.accepted() }
        applied.merge(read) { $1 }
        for index in changes.indices { changes[index].new = read[changes[index].control] ?? changes[index].new }
        let exposure = values[CaptureControls.exposure].map { read[CaptureControls.exposure] ?? $0 }
        let made = AppliedSetting(
            watch: ChangeoverWatch(
                changes, began: began, accepted: session.clock.now(), interval: session.interval, newest: frames.last,
                isOldKnown: isOldKnown),
            exposure: exposure.map { .nanoseconds($0 &* CaptureControls.exposureUnit) })
        setting = made
        observe()
        return made
    }

    /// The measured delays of the camera's controls, by name.
    var delays: [String: FrameDelay] {
        let hardware = session.knowledge.hardware
        return session.services.peculiarities(
            make: hardware.make, model: hardware.model, in: session.stream?.format)?.delays ?? [:]
    }

    // MARK: Reading

    /// Returns the present controls.
    func present() async throws(RigProblem) -> CaptureControls {
        await takeTurn()
        defer { endTurn() }
        return CaptureControls(device: device, controls: try await read())
    }

    /// Returns the present controls, none of which has a value that a capture has set.
    /// - Throws: `conflict` if a capture's values cannot be put back at present.
    func asFound() async throws(RigProblem) -> [DeviceControl] {
        await restore()
        await takeTurn()
        defer { endTurn() }
        guard areAsFound else { throw notPutBack }
        return try await read()
    }

    /// Asks the device of a stream that was just opened whether it has a light, unless that is known, or somebody else asks it something.
    func learnLight() async {
        guard light == nil, !isBusy, session.stream?.purpose == .session else { return }
        // If it does not answer, whoever asks it next learns it.
        _ = try? await present()
    }

    private func read() async throws(RigProblem) -> [DeviceControl] {
        guard let open = session.stream else { return [] }
        do throws(CameraError) {
            let controls = try await open.stream.controls()
            // Another one may have been opened since.
            if session.stream?.askedAt == open.askedAt { noteLight(controls) }
            let all = withControlsOfNode(controls)
            hasFocusButton = all.count > controls.count
            return all
        } catch {
            throw RigProblem(.deviceLost, "\(device): its controls cannot be read: \(error.reason)")
        }
    }

    /// Returns the controls of the device with those that its node adds.
    func withControlsOfNode(_ controls: [DeviceControl]) -> [DeviceControl] {
        controls + [refocusing.control(beside: controls)].compactMap(\.self)
    }

    /// Returns the present values of controls, by name, without those that cannot be read.
    func values(of names: Set<String>) async throws(RigProblem) -> [String: Int64] {
        await takeTurn()
        defer { endTurn() }
        let controls = try await read().filter { names.contains($0.name) }
        return Dictionary(controls.compactMap { control in control.value.map { (control.name, $0) } }) { $1 }
    }

    private func noteLight(_ controls: [DeviceControl]) {
        do throws(RigProblem) {
            _ = try CaptureControls(device: device, controls: controls).lit()
            light = .allowed
        } catch {
            light = .refused(error.message)
        }
    }

    /// Forgets what is known of a device that was closed. Another one may be opened in its place.
    func streamClosed() { light = nil }

    /// Why nothing may set the controls: the values of an earlier capture are not put back.
    var notPutBack: RigProblem {
        RigProblem(
            .conflict, "\(device): the settings of an earlier capture cannot be restored yet; try again in a second")
    }

    // MARK: Setting

    /// Values that were set and read back, and when.
    struct Setting {
        var values: [String: Int64]
        /// When the device was asked, and when it had answered.
        var began: LocalTime
        var accepted: LocalTime
    }

    /// Sets the controls for a transaction, or puts them back.
    func set(_ values: [String: Int64]) async throws(RigProblem) -> Setting {
        await takeTurn()
        defer { endTurn() }
        guard let stream = session.stream?.stream, session.machine.hardware == .open else {
            throw RigProblem(
                .deviceLost, "\(device) is not streaming, so it cannot be set: \(session.stateDescription)")
        }
        let began = session.clock.now()
        guard !values.isEmpty else { return Setting(values: [:], began: began, accepted: began) }
        do throws(CameraError) {
            let read = try await set(values, of: stream)
            return Setting(values: read, began: began, accepted: session.clock.now())
        } catch {
            let code: RigProblem.Code = error.code == .unsupportedControl ? .unsupportedSettings : .deviceLost
            throw RigProblem(code, "\(device) could not be set: \(error.reason)")
        }
    }

    /// Sets controls for a client.
    /// - Parameters:
    ///   - obstacle: Why a client may not set them at present. Asked again when it is the call's turn.
    ///   - begin: Notes that the device is about to be asked.
    func set(
        _ values: [String: Int64], unless obstacle: () -> RigProblem?, beginning begin: () -> Void
    ) async throws(RigProblem) -> [String: Int64] {
        if let problem = obstacle() ?? transactionInProgress { throw problem }
        await putBack()
        await takeTurn()
        defer { endTurn() }
        guard let stream = session.stream?.stream else {
            throw RigProblem(.notRunning, "\(device) is not streaming: \(session.stateDescription)")
        }
        if let problem = obstacle() ?? transactionInProgress { throw problem }
        guard areAsFound else { throw notPutBack }
        begin()
        do throws(CameraError) {
            return try await set(values, of: stream)
        } catch {
            throw RigProblem(error)
        }
    }

    /// Sets the controls for a picture of a capture.
    func apply(_ values: [String: Int64], of plan: CapturePlan) async throws(RigProblem) -> AppliedSetting {
        await takeTurn()
        defer { endTurn() }
        // Closing undoes what was set before it. A control set after that would stay.
        guard let stream = session.stream?.stream, session.machine.hardware == .open else {
            throw RigProblem(.deviceLost, "\(device) failed after it was armed: \(session.stateDescription)")
        }
        (undo, isPuttingBack) = (plan.undo, false)
        do throws(CameraError) {
            return try await setAside(values, of: stream)
        } catch {
            let code: RigProblem.Code = error.code == .unsupportedControl ? .unsupportedSettings : .deviceLost
            throw RigProblem(code, "\(device) could not be set for the capture: \(error.reason)")
        }
    }

    /// Returns whether a frame counts for what a capture has set last.
    /// - Parameter intervals: As ``AppliedSetting/covers(_:after:)``.
    func covers(_ frame: RingFrame, after intervals: Int) -> Bool {
        setting?.covers(frame, after: intervals) ?? false
    }

    // MARK: Putting back

    /// Puts back what a capture has set. If the device refuses, it is retried as frames arrive.
    func putBack() async {
        guard !undo.isEmpty else { return }
        await takeTurn()
        defer { endTurn() }
        guard !undo.isEmpty, let stream = session.stream?.stream else { return }
        lastAttempt = session.clock.now()
        do throws(CameraError) {
            let isRepeat = isPuttingBack
            isPuttingBack = true
            _ = try await setAside(undo, of: stream, isRepeat: isRepeat)
            (undo, applied, isPuttingBack) = ([:], [:], false)
            await session.spool.forgetControls(of: device)
        } catch {
            // Retried by `putBackLeft()`, on this stream or the next one.
        }
    }

    /// Puts back what an earlier run of the process has set but not put back. If the device refuses, it is retried as
    /// frames arrive.
    func restore() async {
        let device = device
        if undo.isEmpty, session.spool.mayKeepControls(of: device) {
            undo = await session.spool.keptControls(of: device) ?? [:]
        }
        await putBack()
    }

    /// Retries the values that the device has refused; at most once per second.
    func putBackLeft() async {
        guard !undo.isEmpty, session.clock.now() - lastAttempt >= .seconds(1) else { return }
        await putBack()
    }

    /// Drops the values, because another camera has replaced the one that was set.
    func forget() {
        (undo, applied, isPuttingBack) = ([:], [:], false)
        (setting, unsettledSince) = (nil, nil)
        refocusing = Refocusing()
    }
}
