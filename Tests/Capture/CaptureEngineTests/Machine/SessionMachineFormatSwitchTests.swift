import CameraKit
import CaptureModel
import Testing
import VirtualDevices

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

    @Test("A still's format counts as the stream, or the interruption for it is told twice or never ends")
    func thereAndBack() {
        var world = running()
        world.tell(.leave("for a still"))
        #expect(world.drain() == ["wasInterrupted largerPhoto", "didStopRunning", "close"])
        world.tell(.closed)
        #expect(world.machine.formatSwitch == .away)
        world.tell(.opened, .firstFrame, .firstFrame)
        #expect(world.drain() == ["open"])
        #expect(world.machine.state.name == "interrupted(largerPhoto)" && !world.machine.isSettled)
        world.tell(.comeBack, .closed)
        #expect(world.drain() == ["close", "open"])
        #expect(world.machine.formatSwitch == .returning)
        world.tell(.opened, .firstFrame)
        #expect(world.drain() == ["interruptionEnded largerPhoto", "didStartRunning"])
        #expect(world.machine.state == .running && world.machine.formatSwitch == nil)
        #expect(world.faults == [])
    }

    @Test("A camera that cannot open the still's format is taken for broken, or does not go back to its stream")
    func cannotOpen() {
        for trouble in [SessionTrouble.unplugged, .busy, .denied, .noFormat, .broken] {
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

    @Test("What breaks the still's format off is told as the stream's trouble, or keeps the session from its stream")
    func lostWhileAway() {
        var world = away()
        world.tell(.trouble(.stall))
        #expect(world.drain() == ["close"])
        world.tell(.comeBack, .closed, .opened, .firstFrame)
        #expect(world.drain() == ["open", "interruptionEnded largerPhoto", "didStartRunning"])
        #expect(world.faults == [])
    }

    /// What the stream meets with on its way back is what it would meet with while it runs.
    @Test(
        "A stream that does not come back is given up, or left as if it were only away for a still",
        arguments: [
            (
                SessionTrouble.unplugged, "interrupted(deviceAbsent)",
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
    func wayBack(_ trouble: SessionTrouble, _ state: String, _ told: [String]) {
        var world = away()
        world.tell(.comeBack, .closed)
        _ = world.drain()
        world.tell(.openFailed(trouble))
        #expect(world.machine.state.name == state && world.machine.formatSwitch == nil)
        #expect(world.drain() == told)
        world.tell(.retryDue, .opened, .firstFrame)
        #expect(world.machine.state == .running)
        #expect(world.faults == [])
    }

    @Test("A still that is given up at any step leaves the camera in its format, or opens it for nothing")
    func givenUp() {
        var leaving = running()
        leaving.tell(.leave("for a still"), .comeBack, .closed)
        #expect(leaving.machine.formatSwitch == .returning, "straight back")
        leaving.tell(.opened, .firstFrame)
        #expect(leaving.machine.state == .running)
        var opening = running()
        opening.tell(.leave("for a still"), .closed)
        _ = opening.drain()
        opening.tell(.comeBack, .openFailed(.busy))
        #expect(opening.drain() == ["close", "open"])
        #expect(opening.machine.formatSwitch == .returning)
        #expect(leaving.faults == [] && opening.faults == [])
    }

    @Test("A session that is stopped or configured while it is away comes back by itself")
    func stopped() {
        for order in [SessionMachine.Event.stop, .suspend] {
            var world = away()
            world.tell(order)
            #expect(world.drain() == ["interruptionEnded largerPhoto", "close"])
            world.tell(.comeBack, .closed)
            #expect(world.machine.state == .stopped && world.machine.formatSwitch == nil)
            #expect(world.drain() == [])
            world.tell(.unsuspend, .start(.command), .opened, .firstFrame)
            #expect(world.machine.state == .running)
            #expect(world.faults == [])
        }
    }

    @Test("A session that does not run leaves for a still")
    func notRunning() {
        var world = MachineWorld()
        world.tell(.leave("for a still"), .start(.standby), .leave("for a still"), .comeBack)
        #expect(world.drain() == ["open"])
        #expect(world.machine.formatSwitch == nil)
        world.tell(.opened, .firstFrame, .comeBack)
        #expect(world.machine.state == .running)
        #expect(world.faults == [])
    }
}
