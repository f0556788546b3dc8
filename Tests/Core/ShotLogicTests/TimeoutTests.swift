import CaptureModel
import ShotLogic
import Testing

/// The client's timeout, with a journal that answers when a test says so.
@Suite struct TimeoutTests {
    private static let answerDue = 3.0

    private func machine(_ shot: Shot? = nil) throws -> ShotMachine {
        var schedule = Sample.schedule
        schedule.answerDeadline = Sample.at(Self.answerDue)
        let shot = try shot ?? Sample.shot(["a/cam0", "b/cam0"])
        return ShotMachine(
            taking: shot, connected: Set(shot.captures.map(\.device.id.node)), schedule: schedule)
    }

    private func complete() throws -> Shot {
        let shot = try Sample.shot(["a/cam0"])
        var settings = PhotoSettings()
        settings.movie = MovieSettings()
        return Shot(
            id: shot.id, time: shot.time, rigClock: shot.rigClock, wallClock: shot.wallClock,
            coordinatorEpoch: shot.coordinatorEpoch,
            request: ShotRequest(selection: shot.request.selection, settings: settings),
            captures: shot.captures.map { Capture(device: $0.device, kinds: AssetKind.ofMovie) })
    }

    private func refusal(_ actions: [ShotAction]) -> RigProblem? {
        actions.compactMap { if case .giveUp(let problem) = $0 { problem } else { nil } }.first
    }

    private func isRequest(_ action: ShotAction) -> Bool {
        switch action {
        case .prepare, .fire: true
        default: false
        }
    }

    @Test func aClientIsAnsweredInTimeByADiskThatTakesNoFirstManifest() throws {
        var machine = try machine()
        let first = try #require(machine.handle(.begin, at: Sample.at(0)).manifests.first)
        #expect(machine.nextDeadline == Sample.at(Self.answerDue))
        let actions = machine.handle(.deadlinePassed, at: Sample.at(Self.answerDue))
        #expect(refusal(actions)?.code == .inputOutput)
        #expect(refusal(actions)?.message.contains("not known") == true)
        #expect(actions.allSatisfy { !$0.isAnswer && !isRequest($0) })
        #expect(machine.givenUp != nil && machine.isOpen)
        #expect(machine.nextDeadline == nil, "the caller would spin, or tell it again")

        let thawed = machine.handle(.manifestDurable(revision: first.revision), at: Sample.at(60))
        #expect(!thawed.contains(where: isRequest))
        let last = try #require(thawed.manifests.first)
        #expect(last.status == .failed)
        #expect(last.captures.map(\.phase) == [.missed, .missed])
        #expect(last.captures.map(\.problem?.code) == [.inputOutput, .inputOutput])
        let settled = machine.handle(.manifestDurable(revision: last.revision), at: Sample.at(61))
        #expect(settled.compactMap(\.answer) == [last], "who asks again before the end")
        #expect(machine.isFinished && !machine.isOpen)
    }

    @Test func aShotThatWasGivenUpIsNotFiredAlthoughItCouldStillBeArmed() throws {
        var schedule = Sample.schedule
        schedule.answerDeadline = Sample.at(0.1)
        let shot = try Sample.shot(["a/cam0"])
        var machine = ShotMachine(taking: shot, connected: [try NodeName("a")], schedule: schedule)
        let first = try #require(machine.handle(.begin, at: Sample.at(0)).manifests.first)
        _ = machine.handle(.deadlinePassed, at: Sample.at(0.1))
        let thawed = machine.handle(.manifestDurable(revision: first.revision), at: Sample.at(0.2))
        #expect(!thawed.contains(where: isRequest))
        let hello = machine.handle(
            .nodeConnected(try NodeName("a"), epochChanged: true, inventory: []), at: Sample.at(0.3))
        #expect(!hello.contains(where: isRequest))
    }

    @Test func aLaterManifestThatDoesNotBecomeDurableDelaysNoAnswerAndIsNotInIt() throws {
        var machine = try firedMachine(["a/cam0"], answerAt: Self.answerDue)
        let durable = machine.durableShot
        _ = machine.handle(.captured(try Sample.report(machine.shot, "a/cam0")), at: Sample.at(1.1))
        #expect(machine.nextDeadline == Sample.at(Self.answerDue))
        let answers = machine.handle(.deadlinePassed, at: Sample.at(Self.answerDue)).compactMap(\.answer)
        #expect(answers == [durable].compactMap(\.self))
        #expect(answers.first?.status == .open)
    }

    @Test func whoAsksForAResumedShotIsAnsweredInTheirTimeAndTheFirstCounts() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.capture("a/cam0")
        var resumed = Desk(resuming: try #require(desk.manifests.last))
        resumed.send(.begin, at: 6)
        #expect(resumed.machine.nextDeadline == nil)
        resumed.send(.awaited(until: Sample.at(16)), at: 6)
        resumed.send(.awaited(until: Sample.at(20)), at: 7)
        #expect(resumed.machine.nextDeadline == Sample.at(16))
        resumed.send(.deadlinePassed, at: 16)
        #expect(resumed.answers.map(\.status) == [.open])
    }

    @Test func whoWaitsForATakeToBeginIsToldWhatIsDurableAndTheTakeGoesOn() throws {
        var machine = try machine(complete())
        let first = try #require(machine.handle(.begin, at: Sample.at(0)).manifests.first)
        _ = machine.handle(.manifestDurable(revision: first.revision), at: Sample.at(0.1))
        _ = machine.handle(.armed(try DeviceID("a/cam0"), Sample.resolved), at: Sample.at(0.2))
        let actions = machine.handle(.deadlinePassed, at: Sample.at(Self.answerDue))
        #expect(actions.contains(.overdue(first)))
        #expect(!actions.contains(where: \.isAnswer) && machine.isOverdue)
        #expect(machine.shot.status == .open)
        let again = machine.handle(.deadlinePassed, at: Sample.at(Self.answerDue + 0.1))
        #expect(!again.contains(.overdue(first)))
    }
}
