import CameraKit
import CaptureModel
import Testing

@testable import CameraSettings
@testable import CaptureEngine

@Suite struct SettingsMachineTests {
    private let first = SettingsID.sample(1)
    private let second = SettingsID.sample(2)
    private let settings: CaptureSettings
    private let prepared: PreparedSettings
    private let effect: SettingsEffect
    private let conflict = RigProblem(.conflict, "a capture has the camera")
    private let now = LocalTime(nanoseconds: 1_000_000_000)
    private var machine: SettingsMachine

    init() throws {
        settings = try CaptureSettings(parsing: "gain=raw:6")
        prepared = PreparedSettings(
            preparation: SettingsPreparation(outcomes: [], leadNanoseconds: 20_000_000),
            changes: [ControlChange(control: "gain", old: 0, new: 6)], undo: ["gain": 0])
        effect = SettingsEffect(
            accepted: BoundedRigTime(time: RigTime(nanoseconds: 5), bound: .zero), controls: ["gain": 6],
            change: SettingsChangeover(evidence: .unknown))
        machine = SettingsMachine(device: try DeviceID("north/cam"))
    }

    private enum Stage: CaseIterable {
        case preparing, prepared, waiting, setting, confirming, set, failed, undoing, undone
    }

    private var confirmation: SettingsMachine.Confirmation {
        SettingsMachine.Confirmation(
            watch: ChangeoverWatch(
                prepared.changes, began: now, accepted: now, interval: .milliseconds(40), newest: nil, isOldKnown: true),
            controls: ["gain": 6])
    }

    private func prepare(
        _ machine: inout SettingsMachine, _ id: SettingsID, obstacle: RigProblem? = nil, at now: LocalTime? = nil
    ) -> SettingsMachine.Verdict<SettingsPreparation> {
        machine.prepare(id, settings, at: now ?? self.now, obstacle: obstacle)
    }

    private func commit(
        _ machine: inout SettingsMachine, _ id: SettingsID, in ahead: Duration = .seconds(1), at now: LocalTime? = nil,
        obstacle: RigProblem? = nil
    ) -> SettingsMachine.Verdict<SettingsEffect> {
        machine.commit(
            id, time: self.now + ahead, at: now ?? self.now, limit: .seconds(60), obstacle: obstacle)
    }

    private func undo(
        _ machine: inout SettingsMachine, _ id: SettingsID, obstacle: RigProblem? = nil
    ) -> SettingsMachine.UndoVerdict {
        machine.undo(id, at: now, obstacle: obstacle)
    }

    /// Brings a transaction to a stage.
    private func lead(_ machine: inout SettingsMachine, _ id: SettingsID, to stage: Stage) {
        #expect(prepare(&machine, id) == .begin)
        if stage == .preparing { return }
        #expect(machine.prepared(id, .success(prepared), at: now) == .success(prepared.preparation))
        if stage == .prepared { return }
        #expect(commit(&machine, id) == .begin)
        if stage == .waiting { return }
        #expect(machine.beginSetting(id) == prepared)
        if stage == .setting { return }
        if stage == .failed { return machine.failed(id, RigProblem(.deviceLost, "no")) }
        machine.accepted(id, confirmation)
        if stage == .confirming { return }
        machine.confirmed(id, .success(effect))
        if stage == .set { return }
        #expect(undo(&machine, id) == .putBack(["gain": 0]))
        if stage == .undoing { return }
        machine.putBack(id, isDone: true)
    }

    private func code<Answer>(_ verdict: SettingsMachine.Verdict<Answer>) -> RigProblem.Code? {
        if case .refuse(let problem) = verdict { problem.code } else { nil }
    }

    @Test(
        "Answers a repeated prepare as the first time, and refuses other settings under its id",
        arguments: Stage.allCases)
    private func prepareAgain(stage: Stage) throws {
        var machine = machine
        lead(&machine, first, to: stage)
        #expect(
            prepare(&machine, first, obstacle: conflict)
                == (stage == .preparing ? .wait : .answer(prepared.preparation)))
        let other = try CaptureSettings(parsing: "gain=raw:7")
        #expect(code(machine.prepare(first, other, at: now, obstacle: nil)) == .conflict)
    }

    @Test("Refuses another transaction while one is in progress, and names it", arguments: Stage.allCases)
    private func another(stage: Stage) {
        var machine = machine
        lead(&machine, first, to: stage)
        guard [.set, .failed, .undone].contains(stage) else {
            #expect(machine.inProgress(at: now) == first)
            guard case .refuse(let problem) = prepare(&machine, second) else {
                Issue.record("two transactions at once")
                return
            }
            #expect(problem.code == .conflict && problem.message.contains("\(first)"))
            return
        }
        #expect(machine.inProgress(at: now) == nil)
        #expect(prepare(&machine, second) == .begin)
    }

    @Test("Answers a repeated commit as the first time", arguments: Stage.allCases)
    private func commitAgain(stage: Stage) {
        var machine = machine
        lead(&machine, first, to: stage)
        let verdict = commit(&machine, first)
        switch stage {
        case .preparing, .waiting, .setting, .confirming: #expect(verdict == .wait)
        case .prepared: #expect(verdict == .begin)
        case .set: #expect(verdict == .answer(effect))
        case .failed: #expect(code(verdict) == .deviceLost)
        case .undoing, .undone: #expect(code(verdict) == .cancelled)
        }
    }

    @Test("Undoes what was set, and drops what was not", arguments: Stage.allCases)
    private func undoing(stage: Stage) {
        var machine = machine
        lead(&machine, first, to: stage)
        let verdict = undo(&machine, first)
        switch stage {
        case .preparing, .prepared, .waiting:
            #expect(verdict == .undone)
            #expect(machine.inProgress(at: now) == nil && machine.beginSetting(first) == nil)
            #expect(code(commit(&machine, first)) == (stage == .preparing ? .expired : .cancelled))
            if stage != .preparing { #expect(undo(&machine, first) == .undone) }
        case .setting, .undoing: #expect(verdict == .wait)
        case .confirming, .set, .failed:
            #expect(verdict == .putBack(["gain": 0]))
            machine.confirmed(first, .success(effect))
            #expect(code(commit(&machine, first)) == .cancelled, "its effect is over")
            machine.putBack(first, isDone: true)
            #expect(undo(&machine, first) == .undone)
        case .undone: #expect(verdict == .undone)
        }
    }

    @Test("Tries again to undo what could not be put back")
    private func undoAgain() {
        var machine = machine
        lead(&machine, first, to: .undoing)
        machine.putBack(first, isDone: false)
        #expect(commit(&machine, first) == .answer(effect))
        #expect(undo(&machine, first) == .putBack(["gain": 0]))
    }

    @Test("Undoes only the newest transaction that was set")
    private func newestOnly() {
        var machine = machine
        lead(&machine, first, to: .set)
        lead(&machine, second, to: .set)
        guard case .refuse(let problem) = undo(&machine, first) else {
            Issue.record("undone beneath a later one")
            return
        }
        #expect(problem.code == .conflict && problem.message.contains("\(second)"))
        #expect(undo(&machine, second) == .putBack(["gain": 0]))
        machine.putBack(second, isDone: true)
        #expect(undo(&machine, first) == .putBack(["gain": 0]))
        machine.putBack(first, isDone: true)
        lead(&machine, .sample(3), to: .prepared)
        #expect(undo(&machine, first) == .undone)
    }

    private func isExpired(_ verdict: SettingsMachine.UndoVerdict) -> Bool {
        if case .refuse(let problem) = verdict { problem.code == .expired } else { false }
    }

    @Test("An unknown transaction is not committed, and nobody says that it is undone")
    private func unknown() {
        var machine = machine
        #expect(code(commit(&machine, first)) == .expired)
        #expect(isExpired(undo(&machine, first)))
        lead(&machine, first, to: .waiting)
        #expect(code(commit(&machine, second)) == .expired)
        #expect(isExpired(undo(&machine, second)))
    }

    @Test("Drops what is not committed in time")
    private func expiry() {
        var machine = machine
        lead(&machine, first, to: .prepared)
        let end = now + SettingsStep.keepingTime
        #expect(machine.inProgress(at: end - .nanoseconds(1)) == first && machine.inProgress(at: end) == nil)
        #expect(commit(&machine, first, in: .seconds(31), at: end - .nanoseconds(1)) == .begin)
        var other = self.machine
        lead(&other, first, to: .prepared)
        #expect(code(commit(&other, first, in: .seconds(31), at: end)) == .expired)
        #expect(prepare(&other, second, at: end) == .begin)
        #expect(code(prepare(&other, first, at: end)) == .conflict, "another one has the controls")
        var again = self.machine
        lead(&again, first, to: .prepared)
        #expect(prepare(&again, first, at: end) == .begin, "it is prepared again")
    }

    @Test("Refuses T for which the controls would be set too late, and sets nothing")
    private func time() {
        for (ahead, isAccepted) in [(20, true), (-80, true), (-81, false)] {
            var machine = machine
            lead(&machine, first, to: .prepared)
            let verdict = commit(&machine, first, in: .milliseconds(ahead))
            #expect(isAccepted ? verdict == .begin : code(verdict) == .tooSoon)
            #expect(machine.inProgress(at: now) == (isAccepted ? first : nil))
        }
    }

    @Test("A commit that is refused gives the controls back, and its repeat is refused alike")
    private func refusedCommit() {
        for expected: RigProblem.Code in [.tooFarAhead, .unsynchronized, .conflict] {
            var machine = machine
            lead(&machine, first, to: .prepared)
            let verdict = machine.commit(
                first, time: expected == .unsynchronized ? nil : now + .seconds(expected == .tooFarAhead ? 61 : 1),
                at: now,
                limit: .seconds(60), obstacle: expected == .conflict ? conflict : nil)
            #expect(code(verdict) == expected)
            #expect(machine.inProgress(at: now) == nil)
            #expect(code(commit(&machine, first)) == expected)
            #expect(undo(&machine, first) == .undone)
        }
    }

    @Test("A capture that has the camera keeps a transaction from beginning, setting and undoing")
    private func obstacle() {
        var machine = machine
        #expect(code(prepare(&machine, first, obstacle: conflict)) == .conflict)
        lead(&machine, first, to: .prepared)
        #expect(code(commit(&machine, first, obstacle: conflict)) == .conflict)
        var set = self.machine
        lead(&set, first, to: .set)
        #expect(undo(&set, first, obstacle: conflict) == .refuse(conflict))
        #expect(undo(&set, first) == .putBack(["gain": 0]))
    }

    @Test("Says what a lost stream leaves behind", arguments: Stage.allCases)
    private func lost(stage: Stage) {
        var machine = machine
        lead(&machine, first, to: stage)
        machine.streamEnded(because: "it was unplugged")
        let verdict = commit(&machine, first)
        switch stage {
        case .preparing, .prepared: #expect(code(verdict) == .expired)
        case .waiting:
            #expect(code(verdict) == .deviceLost)
            #expect(undo(&machine, first) == .undone)
        case .setting, .confirming:
            guard case .refuse(let problem) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(problem.code == .deviceLost && problem.message.contains("may be set"))
            #expect(undo(&machine, first) == .putBack(["gain": 0]))
        case .set: #expect(verdict == .answer(effect))
        case .failed: #expect(code(verdict) == .deviceLost)
        case .undoing, .undone: #expect(code(verdict) == .cancelled)
        }
        #expect(machine.beginSetting(first) == nil)
    }

    @Test("A read that ends after its transaction was dropped prepares nothing")
    private func lateRead() {
        var machine = machine
        lead(&machine, first, to: .preparing)
        machine.streamEnded(because: "it was unplugged")
        #expect(throws: RigProblem.self) { try machine.prepared(first, .success(prepared), at: now).get() }
        #expect(machine.inProgress(at: now) == nil)
    }

    @Test(
        "What a coordinator that has gone had prepared does not keep the camera, and may be prepared again",
        arguments: Stage.allCases)
    private func coordinatorGone(stage: Stage) {
        var machine = machine
        lead(&machine, first, to: stage)
        let before = machine.inProgress(at: now)
        machine.dropPrepared()
        switch stage {
        case .preparing, .prepared:
            #expect(machine.inProgress(at: now) == nil)
            #expect(code(commit(&machine, first)) == .expired)
            #expect(prepare(&machine, first) == .begin)
        case .waiting, .setting, .confirming, .set, .failed, .undoing, .undone:
            #expect(machine.inProgress(at: now) == before)
        }
    }

    @Test("A refused request is answered again, and cannot be committed")
    private func refused() throws {
        var machine = machine
        #expect(prepare(&machine, first) == .begin)
        let entry = try #require(settings.entries.first)
        let refusal = SettingsPreparation(outcomes: [SettingOutcome(entry: entry, result: .refused("no"))])
        #expect(try machine.prepared(first, .success(PreparedSettings(preparation: refusal)), at: now).get() == refusal)
        #expect(machine.inProgress(at: now) == nil)
        #expect(prepare(&machine, first) == .answer(refusal))
        #expect(code(commit(&machine, first)) == .unsupportedSettings)
        #expect(undo(&machine, first) == .undone)
    }

    @Test("Cannot undo at another camera what was set at the one before")
    private func exchanged() throws {
        var machine = machine
        lead(&machine, first, to: .set)
        machine.deviceExchanged(to: try DeviceID("north/other"))
        #expect(code(commit(&machine, first)) == .deviceLost)
        guard case .refuse(let problem) = undo(&machine, first) else {
            Issue.record("undone at another camera")
            return
        }
        #expect(problem.code == .deviceLost)
        #expect(prepare(&machine, second) == .begin)
    }

    @Test("Keeps the newest transactions")
    private func bounded() {
        var machine = machine
        for number in 1...20 { lead(&machine, .sample(number), to: .set) }
        #expect(machine.records.map(\.id) == (5...20).map { .sample($0) })
        #expect(commit(&machine, .sample(5)) == .answer(effect))
        #expect(code(commit(&machine, .sample(4))) == .expired)
    }

    @Test("A transaction that opens the stream again expects the end of the stream, and undoes its format")
    func reopening() {
        var machine = machine
        var prepared = prepared
        prepared.stream = StreamExchange(
            StreamChange(frameIntervalNanoseconds: 20_000_000),
            of: VideoFormat(pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(40)),
            ConfiguredFormat())
        #expect(prepare(&machine, first) == .begin)
        #expect(machine.reopening(at: now) == nil)
        #expect(machine.prepared(first, .success(prepared), at: now) == .success(prepared.preparation))
        #expect(machine.reopening(at: now) == first && machine.reopensStream(first))
        #expect(machine.reopening(at: now + .seconds(31)) == nil, "it has expired")
        #expect(commit(&machine, first) == .begin)
        #expect(machine.beginSetting(first) == prepared)
        machine.streamEnded(because: "it is opened again")
        #expect(undo(&machine, first) == .wait && commit(&machine, first) == .wait)
        #expect(code(prepare(&machine, second)) == .conflict)
        var failing = machine
        failing.failed(first, RigProblem(.deviceLost, "no"))
        #expect(code(commit(&failing, first)) == .deviceLost && failing.reopening(at: now) == nil)
        machine.reopened(first)
        machine.accepted(first, confirmation)
        machine.confirmed(first, .success(effect))
        #expect(machine.reopening(at: now) == nil && machine.reopensStream(first))
        #expect(undo(&machine, first) == .putBack(["gain": 0], stream: prepared.stream))
        #expect(machine.reopening(at: now) == first)
        machine.putBack(first, isDone: true)
        #expect(machine.reopening(at: now) == nil)
    }
}
