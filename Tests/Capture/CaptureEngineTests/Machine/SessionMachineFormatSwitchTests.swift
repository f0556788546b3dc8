import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A session that leaves its stream for a larger still, and comes back.
@Suite struct SessionMachineFormatSwitchTests {
    /// A world whose session runs and has left its stream, with nothing left to read.
    private func away() -> MachineWorld {
        var world = running()
        world.tell(.leave("for a still"), .closed, .opened)
        _ = world.drain()
        return world
    }

    private func running() -> MachineWorld {
        var world = MachineWorld()
        world.tell(.start(.standby), .opened, .firstFrame)
        _ = world.drain()
        return world
    }

    @Test("Keeps the still's format apart from the stream, and reports one interruption with its end")
    func thereAndBack() {
        var world = running()
        world.tell(.leave("for a still"))
        #expect(world.drain() == ["wasInterrupted largerPhoto", "didStopRunning", "close"])
        world.tell(.closed)
        #expect(world.machine.formatSwitch == .away)
        world.tell(.opened, .firstFrame, .firstFrame)
        #expect(world.drain() == ["open"])
        #expect(world.machine.state.name == "interrupted(largerPhoto)" && !world.machine.isIdle)
        world.tell(.returnToStream, .closed)
        #expect(world.drain() == ["close", "open"])
        #expect(world.machine.formatSwitch == .returning)
        world.tell(.opened, .firstFrame)
        #expect(world.drain() == ["interruptionEnded largerPhoto", "didStartRunning"])
        #expect(world.machine.state == .running && world.machine.formatSwitch == nil)
        #expect(world.faults == [])
    }

    @Test("Returns to the stream when the still's format cannot be opened")
    func cannotOpen() {
        for trouble in [SessionFailure.unplugged, .busy, .denied, .noFormat, .broken] {
            var world = running()
            world.tell(.leave("for a still"), .closed)
            _ = world.drain()
            world.tell(.openFailed(trouble))
            #expect(world.drain() == ["open"])
            world.tell(.opened, .firstFrame)
            #expect(world.drain() == ["interruptionEnded largerPhoto", "didStartRunning"])
            #expect(world.faults == [])
        }
    }

    @Test("Reports an aborted format switch as the still's failure, and resumes the stream")
    func lostWhileAway() {
        var world = away()
        world.tell(.trouble(.stall))
        #expect(world.drain() == ["close"])
        world.tell(.returnToStream, .closed, .opened, .firstFrame)
        #expect(world.drain() == ["open", "interruptionEnded largerPhoto", "didStartRunning"])
        #expect(world.faults == [])
    }

    /// What the stream meets with on its way back is what it would meet with while it runs.
    @Test(
        "A stream that does not come back is given up, or left as if it were only away for a still",
        arguments: [
            (
                SessionFailure.unplugged, "interrupted(deviceAbsent)",
                ["interruptionEnded largerPhoto", "wasInterrupted deviceAbsent", "retry 250"]
            ),
            (.broken, "restarting(1)", ["interruptionEnded largerPhoto", "runtimeError 1", "retry 250"]),
            (
                .denied, "interrupted(accessRevoked)",
                [
                    "interruptionEnded largerPhoto", "wasInterrupted accessRevoked", "retry 250",
                ]
            ),
        ])
    func wayBack(_ trouble: SessionFailure, _ state: String, _ told: [String]) {
        var world = away()
        world.tell(.returnToStream, .closed)
        _ = world.drain()
        world.tell(.openFailed(trouble))
        #expect(world.machine.state.name == state && world.machine.formatSwitch == nil)
        #expect(world.drain() == told)
        world.tell(.retryDue, .opened, .firstFrame)
        #expect(world.machine.state == .running)
        #expect(world.faults == [])
    }

    @Test("Returns to the stream wherever a still is given up")
    func givenUp() {
        var leaving = running()
        leaving.tell(.leave("for a still"), .returnToStream, .closed)
        #expect(leaving.machine.formatSwitch == .returning, "straight back")
        leaving.tell(.opened, .firstFrame)
        #expect(leaving.machine.state == .running)
        var opening = running()
        opening.tell(.leave("for a still"), .closed)
        _ = opening.drain()
        opening.tell(.returnToStream, .openFailed(.busy))
        #expect(opening.drain() == ["close", "open"])
        #expect(opening.machine.formatSwitch == .returning)
        #expect(leaving.faults == [] && opening.faults == [])
    }

    @Test("Stays stopped or configured when that happens during a format switch")
    func stopped() {
        for order in [SessionMachine.Event.stop, .suspend] {
            var world = away()
            world.tell(order)
            #expect(world.drain() == ["interruptionEnded largerPhoto", "close"])
            world.tell(.returnToStream, .closed)
            #expect(world.machine.state == .stopped && world.machine.formatSwitch == nil)
            #expect(world.drain() == [])
            world.tell(.unsuspend, .start(.command), .opened, .firstFrame)
            #expect(world.machine.state == .running)
            #expect(world.faults == [])
        }
    }

    @Test("Switches format only while the session runs")
    func notRunning() {
        var world = MachineWorld()
        world.tell(.leave("for a still"), .start(.standby), .leave("for a still"), .returnToStream)
        #expect(world.drain() == ["open"])
        #expect(world.machine.formatSwitch == nil)
        world.tell(.opened, .firstFrame, .returnToStream)
        #expect(world.machine.state == .running)
        #expect(world.faults == [])
    }
}

@Suite struct SessionMachineFuzzTests {
    private static let troubles: [SessionFailure] = [.unplugged, .busy, .denied, .noFormat, .broken, .stall]
    private static let demands: [SessionDemand] = [.standby, .command, .preview]

    /// An event that may come at this moment: orders at any time, the hardware's words when it owes them.
    private func event(in world: MachineWorld, _ generator: inout SeededGenerator) -> SessionMachine.Event {
        let trouble = Self.troubles.randomElement(using: &generator) ?? .broken
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let demand = Self.demands.randomElement(using: &generator) ?? .command
            let orders: [SessionMachine.Event] = [
                .start(demand), .release(demand), .stop, .resume, .deviceAppeared, .goodPeriod, .suspend,
                .unsuspend, .leave("for a still"), .returnToStream,
                .nodeSuspended("the machine slept"), .barred(.systemPressure, "hot"), .unbarred,
            ]
            return orders.randomElement(using: &generator) ?? .stop
        }
        let isGood = Bool.random(using: &generator)
        switch world.owed {
        case .nothing: return world.wait == nil ? .start(.command) : .retryDue
        case .answerToOpen: return isGood ? .opened : .openFailed(trouble)
        case .frames: return isGood ? .firstFrame : .trouble(trouble)
        // A camera whose opening was overtaken by a stop may say that it is open, or that it is not.
        case .answerToClose: return isGood ? .closed : Bool.random(using: &generator) ? .opened : .trouble(trouble)
        }
    }

    @Test("Opens each camera once and reports truthfully, whatever the order of events")
    func invariants() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var world = MachineWorld(failures: Int.random(in: 0...4, using: &generator))
            var history: [SessionMachine.Event] = []
            for _ in 0..<200 where world.faults.isEmpty {
                let next = event(in: world, &generator)
                history.append(next)
                world.tell(next)
            }
            #expect(world.faults == [], "seed \(seed): \(history.suffix(8))")
        }
    }

    @Test("Ends with working cameras usable and stopped cameras closed, whatever the order of events")
    func endings() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed &+ 10_000)
            var world = MachineWorld()
            for _ in 0..<60 { world.tell(event(in: world, &generator)) }
            world.tell(.unsuspend, .unbarred, .stop)
            obey(&world, frames: false)
            #expect(world.machine.state == .stopped, "seed \(seed)")
            world.tell(.start(.command))
            obey(&world, frames: true)
            #expect(world.machine.state == .running, "seed \(seed)")
            #expect(world.faults == [])
        }
    }

    /// Lets the hardware do everything it is asked for.
    private func obey(_ world: inout MachineWorld, frames: Bool) {
        for _ in 0..<8 {
            switch world.owed {
            case .nothing: if world.wait != nil { world.tell(.retryDue) }
            case .answerToOpen: world.tell(.opened)
            case .frames: if frames { world.tell(.firstFrame) }
            case .answerToClose: world.tell(.closed)
            }
        }
    }
}
