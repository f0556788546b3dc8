import CaptureModel
import CaptureTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Who holds the rig, with a clock and a store, without a rig. ``HoldMachineTests`` has the table.
@Suite struct HoldKeeperTests {
    private let clock = ManualTimeSource()
    private let log = CapturedLog()
    private let line = RigClockID(rawValue: "rig-1")
    private let anna: Principal
    private let ben: Principal

    init() throws {
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        ben = try #require(Principal(recorded: "ben", isAuthenticated: true))
    }

    private func keeper(restoring hold: StoredHold? = nil, in store: MemoryHold?) -> HoldKeeper {
        HoldKeeper(restoring: hold, in: store, on: line, clock: clock, log: log.logger)
    }

    private func take(_ keeper: HoldKeeper, _ seconds: Int64 = 60) throws -> [HoldMachine.Change] {
        try keeper.carryOut(.take(HoldRequest(duration: .seconds(seconds))), by: anna, if: nil).changes
    }

    @Test func `A hold is in force at once, and a later run of the coordinator goes on with it`() async throws {
        let store = MemoryHold()
        let hold = keeper(in: store)
        #expect(try take(hold).count == 1)
        #expect(hold.state.status?.hold.holder == anna && hold.deadline == clock.now() + .seconds(60))
        let problem = #expect(throws: RigProblem.self) { try hold.requireNotHeld(against: ben) }
        #expect(problem?.code == .held)
        #expect(await store.stored == nil, "it is stored when it was told")
        await hold.save()
        let later = keeper(restoring: await store.stored, in: store)
        #expect(later.state.status?.hold.holder == anna)
        try later.requireNotHeld(against: anna)
    }

    @Test func `A hold ends when its time has come`() async throws {
        let store = MemoryHold()
        let hold = keeper(in: store)
        _ = try take(hold)
        #expect(hold.expire() == [])
        clock.advance(by: .seconds(60))
        try hold.requireNotHeld(against: ben)
        #expect(hold.expire().count == 1 && hold.deadline == nil && hold.state.status == nil)
        await hold.save()
        #expect(await store.stored == nil)
    }

    @Test func `A hold works without a disk, and what keeps it from being stored is logged`() async throws {
        for (store, lines) in [(MemoryHold(fails: true), ["the hold of the rig cannot be written"]), (nil, [])] {
            let log = CapturedLog()
            let hold = HoldKeeper(restoring: nil, in: store, on: line, clock: clock, log: log.logger)
            _ = try take(hold)
            await hold.save()
            #expect(hold.state.status?.hold.holder == anna && log.lines.value.map(\.message) == lines)
        }
    }
}
