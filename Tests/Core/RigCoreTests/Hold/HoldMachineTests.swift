import CaptureModel
import StorageKit
import Testing

@testable import RigCore

/// The table of ``HoldMachine``.
@Suite struct HoldMachineTests {
    private let anna: Principal
    private let ben: Principal
    private let carol: Principal
    private let clock = RigClockID(rawValue: "rig-1")

    init() throws {
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        ben = try #require(Principal(recorded: "ben", isAuthenticated: true))
        carol = try #require(Principal(recorded: "carol", isAuthenticated: true))
    }

    private func at(_ seconds: Int64) -> RigTime { RigTime(nanoseconds: seconds * 1_000_000_000) }

    private func hold(_ holder: Principal, _ taken: Int64, _ ends: Int64, _ note: String = "") -> RigHold {
        RigHold(holder: holder, note: note, taken: at(taken), ends: at(ends))
    }

    private func request(_ seconds: Int64, _ note: String? = nil, overrides: String? = nil) -> HoldRequest {
        HoldRequest(duration: .seconds(seconds), note: note, overrides: overrides)
    }

    /// A machine that Anna has held from second 100, to 160.
    private func held() -> HoldMachine {
        var machine = HoldMachine()
        _ = machine.take(request(60, "light"), by: anna, at: at(100))
        return machine
    }

    @Test func `Whoever takes a free rig holds it to the end that was asked for`() throws {
        var machine = HoldMachine()
        #expect(machine.obstacle(to: anna, at: at(100)) == nil)
        let taken = hold(anna, 100, 160, "light")
        #expect(machine.take(request(60, "light"), by: anna, at: at(100)) == [.taken(taken)])
        #expect(machine.present(at: at(100)) == taken)
        #expect(machine.obstacle(to: ben, at: at(100)) == taken)
        #expect(machine.obstacle(to: anna, at: at(100)) == nil, "not to its holder")
    }

    @Test func `At the end, and not a nanosecond earlier, nobody holds the rig`() throws {
        var machine = held()
        let last = RigTime(nanoseconds: at(160).nanoseconds - 1)
        #expect(machine.obstacle(to: ben, at: last) != nil && machine.expire(at: last) == [])
        #expect(machine.obstacle(to: ben, at: at(160)) == nil, "also before anybody has said so")
        #expect(machine.expire(at: at(160)) == [.expired(hold(anna, 100, 160, "light"))])
        #expect(machine.expire(at: at(160)) == [], "said once")
    }

    @Test func `A repeat by the holder moves the end, and keeps what it does not mention`() throws {
        var machine = held()
        #expect(machine.take(request(120), by: anna, at: at(110)) == [.renewed(hold(anna, 100, 230, "light"))])
        #expect(machine.take(request(120), by: anna, at: at(110)) == [.renewed(hold(anna, 100, 230, "light"))])
        #expect(
            machine.take(request(10, ""), by: anna, at: at(111)) == [.renewed(hold(anna, 100, 121))],
            "a shorter one and no note")
    }

    @Test func `A renewal after the end is another hold, with its own beginning and note`() throws {
        var machine = held()
        #expect(
            machine.take(request(60), by: anna, at: at(160)) == [
                .expired(hold(anna, 100, 160, "light")), .taken(hold(anna, 160, 220)),
            ])
    }

    @Test func `Nobody else takes, renews or releases a hold`() throws {
        var machine = held()
        #expect(machine.take(request(60), by: ben, at: at(120)) == nil)
        #expect(machine.release(overriding: nil, by: ben, at: at(120)) == nil)
        #expect(machine.present(at: at(120)) == hold(anna, 100, 160, "light"))
    }

    @Test func `The holder releases it, once and for all`() throws {
        var machine = held()
        #expect(machine.release(overriding: nil, by: anna, at: at(120)) == [.released(hold(anna, 100, 160, "light"))])
        #expect(machine.release(overriding: nil, by: anna, at: at(120)) == [], "a repeat does nothing")
        #expect(machine.release(overriding: nil, by: ben, at: at(120)) == [], "there is nothing to release")
        #expect(machine.take(request(60), by: ben, at: at(120)) == [.taken(hold(ben, 120, 180))])
    }

    @Test func `Whoever names the holder ends the hold, and takes its place or leaves it free`() throws {
        var machine = held()
        let over = HoldMachine.Change.overridden(hold(anna, 100, 160, "light"), by: ben)
        #expect(
            machine.take(request(60, overrides: "anna"), by: ben, at: at(120)) == [over, .taken(hold(ben, 120, 180))],
            "the note was Anna's")
        machine = held()
        #expect(machine.release(overriding: "anna", by: ben, at: at(120)) == [over])
        #expect(machine.present(at: at(120)) == nil)
    }

    @Test func `Whoever names another than the holder overrides nobody`() throws {
        var machine = held()
        #expect(machine.take(request(60, overrides: "carol"), by: ben, at: at(120)) == nil)
        #expect(machine.release(overriding: "carol", by: ben, at: at(120)) == nil)
        #expect(machine.present(at: at(120))?.holder == anna)
        #expect(
            machine.release(overriding: "anna", by: carol, at: at(160)) == [.expired(hold(anna, 100, 160, "light"))])
        #expect(machine.take(request(60, overrides: "anna"), by: ben, at: at(170)) == [.taken(hold(ben, 170, 230))])
        #expect(
            machine.take(request(60, overrides: "anna"), by: ben, at: at(171)) == [.renewed(hold(ben, 170, 231))],
            "one's own is renewed")
    }

    @Test func `A name that is only claimed is not the one that a key has proved`() throws {
        let claimed = try #require(Principal(claimed: "anna"))
        var machine = held()
        #expect(machine.take(request(60), by: claimed, at: at(120)) == nil)
        #expect(machine.obstacle(to: claimed, at: at(120)) != nil)
    }

    @Test func `A hold outlasts a restart on its time line, and no other`() throws {
        let stored = StoredHold(hold(anna, 100, 160, "light"), rigClock: clock)
        #expect(HoldMachine(restoring: stored, clock).present(at: at(150)) == stored.hold)
        var late = HoldMachine(restoring: stored, clock)
        #expect(late.present(at: at(170)) == nil && late.expire(at: at(170)) == [.expired(stored.hold)])
        var rebooted = HoldMachine(restoring: stored, RigClockID(rawValue: "rig-2"))
        #expect(rebooted.present(at: at(5)) == nil, "the machine has started again, and counts from 0")
        guard case .expired(let over)? = rebooted.expire(at: at(5)).first else {
            Issue.record("nobody is told")
            return
        }
        #expect(over.holder == anna)
        #expect(HoldMachine(restoring: nil, clock).deadline == nil)
    }

    // MARK: Commands

    /// Second 100 of the rig is second 1000 of the wall clock, but for `drift`.
    private func wallClock(_ seconds: Int64, drift: Duration = .zero) -> WallClockPair<RigTimeBase> {
        WallClockPair(
            monotonic: at(seconds), realtimeNanoseconds: (seconds + 900) * 1_000_000_000 + drift.nanoseconds)
    }

    private func refusal(
        _ machine: HoldMachine, _ command: HoldChange, by principal: Principal, if condition: ChangeCondition? = nil,
        at seconds: Int64 = 120
    ) -> RigProblem? {
        var machine = machine
        do throws(RigProblem) {
            _ = try machine.carryOut(command, by: principal, if: condition, at: wallClock(seconds))
            return nil
        } catch {
            return error
        }
    }

    @Test func `A command that is refused says who holds the rig and until when, and changes nothing`() throws {
        var machine = held()
        let problem = try #require(refusal(machine, .take(request(60)), by: ben))
        #expect(problem.code == .held)
        #expect(problem.message.hasPrefix("anna holds the rig (light) until 00:17:40 UTC, for another 40 s; wait"))
        #expect(refusal(machine, .release(overriding: nil), by: ben)?.code == .held)
        let before = machine.state(at: wallClock(120))
        #expect(throws: RigProblem.self) {
            try machine.carryOut(.take(request(60)), by: ben, at: wallClock(120))
        }
        #expect(machine.state(at: wallClock(120)) == before && machine.deadline == at(160))
    }

    @Test func `Nobody without a name, nor for too long, nor with a note of two lines holds the rig`() {
        for (request, principal) in [
            (request(60), Principal.unnamed), (request(9), anna), (request(4 * 3600 + 1), anna),
            (request(60, "a\nb"), anna),
        ] {
            #expect(refusal(HoldMachine(), .take(request), by: principal)?.code == .unsupportedSettings)
        }
    }

    @Test func `Another holder is named before a condition that does not hold`() throws {
        var machine = HoldMachine()
        let free = ChangeCondition([machine.state(at: wallClock(100)).version])
        #expect(try machine.carryOut(.take(request(60)), by: anna, if: free, at: wallClock(100)).count == 1)
        #expect(refusal(machine, .take(request(60)), by: ben, if: free)?.code == .held)
        #expect(refusal(machine, .take(request(60)), by: anna, if: free)?.code == .preconditionFailed)
        #expect(refusal(machine, .release(overriding: nil), by: anna, if: free)?.code == .preconditionFailed)
        let own = ChangeCondition([machine.state(at: wallClock(120)).version])
        #expect(
            try machine.carryOut(.release(overriding: nil), by: anna, if: own, at: wallClock(120))
                == [.released(hold(anna, 100, 160))])
        #expect(machine.state(at: wallClock(120)) == HeldState() && machine.deadline == nil)
    }

    @Test func `The date of the end stays until the wall clock has moved by more than a second`() {
        var machine = held()
        let first = machine.state(at: wallClock(120))
        #expect(first.status?.endsRealtimeNanoseconds == 1_060_000_000_000)
        #expect(machine.state(at: wallClock(130, drift: .milliseconds(900))) == first)
        let moved = machine.state(at: wallClock(130, drift: .milliseconds(1_100)))
        #expect(moved.status?.endsRealtimeNanoseconds == 1_061_100_000_000 && moved.version != first.version)
        #expect(
            machine.state(at: wallClock(130, drift: .milliseconds(200))) == moved, "within a second of what was told")
    }

    @Test func `What a later run is to know is the hold on its time line`() {
        #expect(held().stored(on: clock) == StoredHold(hold(anna, 100, 160, "light"), rigClock: clock))
        #expect(HoldMachine().stored(on: clock) == nil)
    }
}
