import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// The table of a transaction, without nodes.
@Suite struct SettingsTransactionTests {
    private let north: DeviceID
    private let south: DeviceID
    private let away = RigProblem(.nodeUnreachable, "the node has not answered in time")
    private let broken = RigProblem(.deviceLost, "the camera was unplugged")

    init() throws {
        north = try DeviceID("north/cam")
        south = try DeviceID("south/cam")
    }

    private func begun(
        requireAll: Bool = false, earlier: CommittedSettings.State? = nil
    ) throws -> SettingsTransaction {
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"),
            requireAll: requireAll)
        let earlier = earlier.map {
            CommittedSettings(id: request.id, rigClock: RigClockID(rawValue: "rig-1"), state: $0)
        }
        var transaction = SettingsTransaction(
            request,
            SettingsOrder(cameras: [north, south], settings: [north: request.settings, south: request.settings]),
            earlier: earlier)
        #expect(transaction.begin() == .prepare([north, south]))
        return transaction
    }

    private func preparation(
        _ result: SettingOutcome.Result = .set(.raw(7)), lead: Int64 = 0
    ) throws -> Result<SettingsPreparation, RigProblem> {
        let entry = try CaptureSettings.Entry(parsing: "gain=raw:7")
        return .success(
            SettingsPreparation(outcomes: [SettingOutcome(entry: entry, result: result)], leadNanoseconds: lead))
    }

    private var effect: Result<SettingsTransaction.Commitment, RigProblem> {
        .success(.applied(Samples.settingsEffect))
    }

    private var stopped: RigProblem { RigProblem(.notRunning, "south/cam does not stream") }

    private func outcomes(_ transaction: SettingsTransaction) -> [CameraSettingsOutcome.Word] {
        transaction.cameras.map(\.outcome.word)
    }

    private func half(requireAll: Bool = false) throws -> SettingsTransaction {
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"),
            requireAll: requireAll)
        var order = SettingsOrder(
            cameras: [north, south], settings: [north: request.settings, south: request.settings])
        order.postpone(south)
        return SettingsTransaction(request, order)
    }

    @Test func `A camera whose node is away does not keep the others, and waits also if they refuse`() throws {
        var transaction = try half()
        #expect(transaction.begin() == .prepare([north]))
        #expect(transaction.prepared(north, try preparation()) == .commit([north]))
        #expect(transaction.committed(north, effect) == .end)
        #expect(outcomes(transaction) == [.set, .deferred])
        let principal = try #require(Principal(recorded: "anna", isAuthenticated: true))
        #expect(transaction.past(by: principal, at: 0).cameras.map(\.awaitsNode) == [false, true])

        transaction = try half()
        _ = transaction.begin()
        #expect(transaction.prepared(north, .failure(broken)) == .commit([]))
        #expect(outcomes(transaction) == [.refused, .deferred])
    }

    @Test func `A camera whose node is away is refused where all are required, or nothing can be stored`() throws {
        var transaction = try half(requireAll: true)
        #expect(transaction.begin() == .end)
        #expect(outcomes(transaction) == [.refused, .refused])

        transaction = try half()
        _ = transaction.begin()
        _ = transaction.prepared(north, try preparation())
        #expect(transaction.giveUp(because: broken) == .undo([north]))
        #expect(transaction.undone(north, .success(())) == .end)
        #expect(outcomes(transaction) == [.refused, .refused])
    }

    @Test func `Every camera that is ready is committed at once, with the longest lead`() throws {
        var transaction = try begun()
        #expect(transaction.prepared(south, try preparation(.rounded(to: .raw(6)), lead: 30)) == nil)
        #expect(transaction.prepared(north, try preparation(lead: 20)) == .commit([north, south]))
        #expect(transaction.lead == .nanoseconds(30))
        #expect(transaction.committed(north, effect) == nil)
        #expect(transaction.committed(south, effect) == .end)
        #expect(outcomes(transaction) == [.set, .rounded] && transaction.hasReachedTime)
    }

    @Test func `A camera whose agent was restarted before it was to undo is lost`() throws {
        var transaction = try begun(requireAll: true)
        #expect(transaction.prepared(north, try preparation()) == nil)
        #expect(transaction.prepared(south, try preparation()) == .commit([north, south]))
        #expect(transaction.committed(north, effect) == nil)
        #expect(transaction.committed(south, .failure(broken)) == .undo([north, south]))
        #expect(transaction.undone(north, .failure(RigProblem(.expired, "not known"))) == nil)
        #expect(transaction.undone(south, .success(())) == .end)
        #expect(outcomes(transaction) == [.lost, .failed])
    }

    @Test func `After a restart, a camera whose node does not say what it has done is lost`() throws {
        var transaction = try begun(earlier: .committed)
        #expect(transaction.prepared(north, .failure(away)) == nil)
        #expect(transaction.prepared(south, try preparation()) == .commit([south]))
        #expect(transaction.committed(south, .failure(RigProblem(.tooSoon, "too late"))) == .end)
        #expect(outcomes(transaction) == [.lost, .lost])
    }

    @Test func `After a restart, a transaction of all cameras that had not ended is undone if one is lost`() throws {
        var transaction = try begun(requireAll: true, earlier: .committed)
        #expect(transaction.prepared(north, try preparation()) == nil)
        #expect(transaction.prepared(south, try preparation()) == .commit([north, south]))
        #expect(transaction.committed(north, effect) == nil)
        #expect(transaction.committed(south, .failure(away)) == .undo([north, south]))
        #expect(transaction.undone(north, .success(())) == nil)
        #expect(transaction.undone(south, .failure(away)) == .end)
        #expect(outcomes(transaction) == [.undone, .lost])
    }

    @Test func `After a restart, a camera that may have been set and does not undo it is not refused`() throws {
        var transaction = try begun(requireAll: true, earlier: .committed)
        #expect(transaction.prepared(north, .failure(away)) == nil)
        #expect(transaction.prepared(south, try preparation()) == .undo([south]))
        let busy = RigProblem(.conflict, "a picture is being taken")
        #expect(transaction.undone(south, .failure(busy)) == .end)
        #expect(outcomes(transaction) == [.lost, .failed])
        let problem = transaction.cameras[1].outcome.problem
        #expect(problem?.code == .conflict && problem?.message.contains("may have been set") == true)
    }

    @Test func `After a restart, a transaction of all cameras that had ended is not undone`() throws {
        var transaction = try begun(requireAll: true, earlier: .ended)
        #expect(transaction.prepared(north, .failure(away)) == nil)
        #expect(transaction.prepared(south, try preparation()) == .commit([south]))
        #expect(transaction.committed(south, effect) == .end)
        #expect(outcomes(transaction) == [.lost, .set])
    }

    @Test func `After a restart, a transaction that was refused stays refused`() throws {
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"))
        let earlier = CommittedSettings(
            id: request.id, rigClock: RigClockID(rawValue: "rig-1"), state: .refused)
        var transaction = SettingsTransaction(
            request,
            SettingsOrder(cameras: [north, south], settings: [north: request.settings, south: request.settings]),
            earlier: earlier)
        #expect(transaction.begin() == .end)
        #expect(outcomes(transaction) == [.refused, .refused] && !transaction.hasReachedTime)
    }

    @Test func `A camera that does not stream has its settings deferred, and the others have theirs`() throws {
        var transaction = try begun()
        _ = transaction.prepared(north, try preparation())
        let deferral = SettingsPreparation(outcomes: [], isDeferred: true)
        #expect(transaction.prepared(south, .success(deferral)) == .commit([north, south]))
        _ = transaction.committed(south, .success(.deferred(stopped)))
        #expect(transaction.committed(north, effect) == .end)
        #expect(outcomes(transaction) == [.set, .deferred] && transaction.cameras[1].outcome.problem == stopped)
    }

    @Test func `Where all are required, a camera that does not stream keeps the others from their settings`() throws {
        var transaction = try begun(requireAll: true)
        _ = transaction.prepared(north, try preparation())
        let deferral = SettingsPreparation(outcomes: [], isDeferred: true)
        #expect(transaction.prepared(south, .success(deferral)) == .undo([north, south]))
        _ = transaction.undone(south, .success(()))
        #expect(transaction.undone(north, .success(())) == .end)
        #expect(outcomes(transaction) == [.undone, .refused] && !transaction.hasReachedTime)
        #expect(transaction.cameras[1].outcome.problem?.code == .notRunning)
        #expect(
            transaction.cameras.allSatisfy {
                $0.outcome.problem?.message.contains("south/cam does not stream") == true
            }, "both name the camera and say that it is stopped")

        var late = try begun(requireAll: true)
        _ = late.prepared(north, try preparation())
        _ = late.prepared(south, try preparation())
        _ = late.committed(north, effect)
        #expect(late.committed(south, .success(.deferred(stopped))) == .undo([north, south]), "it has stopped since")
    }

    @Test func `A camera that refuses does not keep the others from their settings`() throws {
        var transaction = try begun()
        #expect(transaction.prepared(north, try preparation(.refused("it has no gain"))) == nil)
        #expect(transaction.prepared(south, try preparation()) == .commit([south]))
        #expect(transaction.committed(south, effect) == .end)
        #expect(outcomes(transaction) == [.refused, .set])
        let problem = try #require(transaction.cameras[0].outcome.problem)
        #expect(problem.code == .unsupportedSettings && problem.message.contains("it has no gain"))
    }

    @Test func `A node that does not prepare is refused, since nothing was set`() throws {
        var transaction = try begun()
        #expect(transaction.prepared(north, .failure(away)) == nil)
        #expect(transaction.prepared(south, try preparation()) == .commit([south]))
        #expect(transaction.committed(south, effect) == .end)
        #expect(outcomes(transaction) == [.refused, .set])
    }

    private func postponing(requireAll: Bool = false, mayPostpone: Bool = true) throws -> SettingsTransaction {
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"),
            requireAll: requireAll)
        var order = SettingsOrder(
            cameras: [north, south], settings: [north: request.settings, south: request.settings])
        order.mayPostpone = mayPostpone
        var transaction = SettingsTransaction(request, order)
        _ = transaction.begin()
        return transaction
    }

    @Test func `A camera whose node does not answer before T waits for it, unless all are required or it cannot`()
        throws
    {
        var transaction = try postponing()
        _ = transaction.prepared(north, try preparation())
        #expect(transaction.prepared(south, .failure(away)) == .commit([north]))
        #expect(transaction.committed(north, effect) == .end)
        #expect(outcomes(transaction) == [.set, .deferred] && transaction.untold(at: nil).isEmpty)
        #expect(transaction.order.away == [south])

        transaction = try postponing()
        _ = transaction.prepared(north, .failure(away))
        #expect(transaction.prepared(south, .failure(RigProblem(.agentRestarted, "again"))) == .commit([]))
        #expect(outcomes(transaction) == [.deferred, .deferred])

        transaction = try postponing(requireAll: true)
        _ = transaction.prepared(north, try preparation())
        #expect(transaction.prepared(south, .failure(away)) == .undo([north]))
        #expect(transaction.undoStep == .giveUp)
        #expect(transaction.undone(north, .success(())) == .end)
        #expect(outcomes(transaction) == [.undone, .refused])
        #expect(transaction.untold(at: nil) == [south: .giveUp], "it may have prepared, and is told when it is back")
        #expect(transaction.cameras[1].outcome.problem?.message.contains("was not changed") == true)

        transaction = try postponing(mayPostpone: false)
        _ = transaction.prepared(north, try preparation())
        #expect(transaction.prepared(south, .failure(away)) == .commit([north]))
        _ = transaction.committed(north, effect)
        #expect(outcomes(transaction) == [.set, .refused] && transaction.untold(at: nil) == [south: .giveUp])
    }

    @Test func `A node that was silent when it was told to set or to undo is told that again`() throws {
        let time = RigTime(nanoseconds: 5)
        var transaction = try begun()
        _ = transaction.prepared(north, try preparation())
        _ = transaction.prepared(south, try preparation())
        transaction.committed()
        _ = transaction.committed(north, .failure(away))
        _ = transaction.committed(south, .failure(broken))
        #expect(transaction.untold(at: time) == [north: .commit(at: time)])
        transaction.cancelled([north: .failure(away)], RigProblem(.cancelled, "cancelled before T"))
        #expect(transaction.untold(at: time) == [north: .undo], "what was cancelled is not committed")

        transaction = try begun(requireAll: true)
        _ = transaction.prepared(north, try preparation())
        _ = transaction.prepared(south, try preparation())
        transaction.committed()
        _ = transaction.committed(north, effect)
        #expect(transaction.committed(south, .failure(away)) == .undo([north, south]))
        #expect(transaction.undoStep == .undo)
        _ = transaction.undone(north, .success(()))
        _ = transaction.undone(south, .failure(away))
        #expect(transaction.untold(at: time) == [south: .undo])
    }

    @Test func `A transaction that one node has given up before is refused by all, and not carried out in half`()
        throws
    {
        var transaction = try begun()
        #expect(transaction.prepared(north, try preparation()) == nil)
        let givenUp = RigProblem(.cancelled, "given up before")
        #expect(transaction.prepared(south, .failure(givenUp)) == .undo([north]))
        #expect(transaction.undoStep == .giveUp)
        #expect(transaction.undone(north, .success(())) == .end)
        #expect(outcomes(transaction) == [.refused, .refused])

        var earlier = try begun(earlier: .committed)
        #expect(earlier.prepared(north, .failure(givenUp)) == nil)
        #expect(earlier.prepared(south, .failure(away)) == .end)
        #expect(outcomes(earlier) == [.undone, .lost])
    }

    @Test func `Without a camera that is ready nothing is committed`() throws {
        var transaction = try begun()
        #expect(transaction.prepared(north, .failure(away)) == nil)
        #expect(transaction.prepared(south, try preparation(.refused("no"))) == .end)
        #expect(outcomes(transaction) == [.refused, .refused] && !transaction.hasReachedTime)
    }

    @Test func `A node that is silent after it was told to set is lost, and one that fails has failed`() throws {
        var transaction = try begun()
        _ = transaction.prepared(north, try preparation())
        _ = transaction.prepared(south, try preparation())
        #expect(transaction.committed(north, .failure(away)) == nil)
        #expect(transaction.committed(south, .failure(broken)) == .end)
        #expect(outcomes(transaction) == [.lost, .failed] && transaction.hasReachedTime)
    }

    @Test func `Where all are required, a refusal has the others drop what they have prepared`() throws {
        var transaction = try begun(requireAll: true)
        _ = transaction.prepared(north, try preparation())
        #expect(transaction.prepared(south, try preparation(.refused("no"))) == .undo([north]))
        #expect(transaction.undone(north, .success(())) == .end)
        #expect(outcomes(transaction) == [.undone, .refused] && !transaction.hasReachedTime)
        #expect(transaction.cameras[0].outcome.problem?.message.contains("south/cam") == true)
    }

    @Test func `Where all are required, a failure at T is undone everywhere, and also where it may have been set`()
        throws
    {
        var transaction = try begun(requireAll: true)
        _ = transaction.prepared(north, try preparation())
        _ = transaction.prepared(south, try preparation())
        _ = transaction.committed(north, effect)
        #expect(transaction.committed(south, .failure(away)) == .undo([north, south]))
        #expect(transaction.undone(south, .failure(away)) == nil)
        #expect(transaction.undone(north, .success(())) == .end)
        #expect(outcomes(transaction) == [.undone, .lost])
    }

    @Test func `A camera that cannot be put back has failed, and one that is silent is lost`() throws {
        for (problem, word) in [(broken, CameraSettingsOutcome.Word.failed), (away, .lost)] {
            var transaction = try begun(requireAll: true)
            _ = transaction.prepared(north, try preparation())
            _ = transaction.prepared(south, try preparation())
            _ = transaction.committed(north, effect)
            _ = transaction.committed(south, .failure(broken))
            _ = transaction.undone(south, .success(()))
            #expect(transaction.undone(north, .failure(problem)) == .end)
            #expect(outcomes(transaction) == [word, .failed])
        }
    }

    @Test func `Giving up before T refuses every camera that was ready, whatever it answers`() throws {
        var transaction = try begun()
        _ = transaction.prepared(north, try preparation())
        #expect(transaction.prepared(south, .failure(away)) == .commit([north]))
        #expect(transaction.giveUp(because: RigProblem(.tooSoon, "too late")) == .undo([north]))
        #expect(transaction.undone(north, .failure(away)) == .end)
        #expect(outcomes(transaction) == [.refused, .refused] && !transaction.hasReachedTime)
        #expect(transaction.cameras[0].outcome.problem?.code == .tooSoon)
    }

    @Test func `An answer that nobody waits for changes nothing`() throws {
        var transaction = try begun()
        #expect(transaction.committed(north, effect) == nil)
        #expect(transaction.undone(north, .success(())) == nil)
        #expect(transaction.prepared(north, try preparation()) == nil)
        #expect(transaction.prepared(north, .failure(away)) == nil)
        #expect(transaction.prepared(try DeviceID("east/cam"), .failure(away)) == nil)
        #expect(transaction.prepared(south, try preparation()) == .commit([north, south]))
    }
}
