import CameraKit
import CaptureModel
import Testing
import VirtualDevices

@testable import CaptureEngine

@Suite struct SessionMachineTests {
    /// A world whose session runs, with nothing left to read.
    private func running(failures: Int = 3) -> MachineWorld {
        var world = MachineWorld(failures: failures)
        world.tell(.start(.standby), .opened, .firstFrame)
        _ = world.drain()
        return world
    }

    @Test("A session runs before its first good frame, or tells it twice")
    func start() {
        var world = MachineWorld()
        world.tell(.start(.command))
        #expect(world.drain() == ["open"])
        #expect(!world.machine.isSettled)
        world.tell(.opened)
        #expect(world.machine.state == .starting)
        world.tell(.firstFrame, .firstFrame, .start(.preview))
        #expect(world.drain() == ["didStartRunning"])
        #expect(world.machine.state == .running && world.machine.isSettled)
    }

    /// What leads to which state and to what, from a running session and from one that is being started.
    @Test(
        "A trouble is taken for another",
        arguments: [
            (
                SessionTrouble.unplugged, "interrupted(deviceAbsent)",
                ["wasInterrupted deviceAbsent", "didStopRunning", "close", "retry 250"],
                "interrupted(deviceAbsent)", ["wasInterrupted deviceAbsent", "retry 250"]
            ),
            (
                .busy, "interrupted(inUseByAnotherClient)",
                ["wasInterrupted inUseByAnotherClient", "didStopRunning", "close", "retry 250"],
                "interrupted(inUseByAnotherClient)", ["wasInterrupted inUseByAnotherClient", "retry 250"]
            ),
            (
                .denied, "interrupted(accessRevoked)",
                ["wasInterrupted accessRevoked", "didStopRunning", "close", "retry 250"],
                "notAuthorized(denied)", ["retry 250"]
            ),
            (
                .noFormat, "configurationFailed(choose a format)", ["didStopRunning", "close"],
                "configurationFailed(choose a format)", []
            ),
            (
                .broken, "restarting(1)", ["runtimeError 1", "didStopRunning", "close", "retry 250"],
                "failed", ["runtimeError"]
            ),
            (
                .stall, "restarting(1)", ["runtimeError 1", "didStopRunning", "close", "retry 250"],
                "failed", ["runtimeError"]
            ),
        ])
    func troubles(
        _ trouble: SessionTrouble, _ fromRunning: String, _ told: [String], _ fromStarting: String,
        _ toldAtStart: [String]
    ) {
        var world = running()
        world.tell(.trouble(trouble), .closed)
        #expect(world.machine.state.name == fromRunning)
        #expect(world.drain() == told)
        #expect(world.faults == [])
        world = MachineWorld()
        world.tell(.start(.standby))
        _ = world.drain()
        world.tell(.openFailed(trouble))
        #expect(world.machine.state.name == fromStarting)
        #expect(world.drain() == toldAtStart)
        #expect(world.faults == [])
    }

    @Test("A camera of a node that slept is closed and opened for nothing, or its return is not told")
    func nodeSuspended() {
        var world = running()
        world.tell(.nodeSuspended("the machine slept"))
        #expect(world.drain() == ["wasInterrupted nodeSuspended", "didStopRunning"])
        #expect(world.machine.hardware == .open && !world.machine.isSettled)
        world.tell(.nodeSuspended("and once more"), .firstFrame)
        #expect(world.drain() == ["interruptionEnded nodeSuspended", "didStartRunning"])
        world.tell(.nodeSuspended("the machine slept"))
        _ = world.drain()
        world.tell(.trouble(.stall))
        #expect(world.drain() == ["interruptionEnded nodeSuspended", "runtimeError 1", "close"])
        world = MachineWorld()
        world.tell(.nodeSuspended("the machine slept"), .start(.standby), .nodeSuspended("the machine slept"))
        #expect(world.drain() == ["open"], "what does not run is not interrupted")
        #expect(world.faults == [])
    }

    @Test("An overloaded machine opens its cameras again and again, or never again afterwards")
    func barred() {
        var world = running()
        world.tell(.barred(.systemPressure, "hot"))
        #expect(world.drain() == ["wasInterrupted systemPressure", "didStopRunning", "close"])
        world.tell(.closed, .resume, .deviceAppeared, .start(.command), .barred(.systemPressure, "hotter"))
        #expect(world.drain() == [] && world.machine.isSettled)
        #expect(world.machine.state == .interrupted(.systemPressure, "hotter"))
        world.tell(.unbarred, .unbarred)
        #expect(world.drain() == ["open"])
        world.tell(.opened, .firstFrame)
        #expect(world.drain() == ["interruptionEnded systemPressure", "didStartRunning"])
        // It is over while the camera is still being closed.
        world.tell(.barred(.systemPressure, "hot"), .unbarred, .closed)
        #expect(world.drain().suffix(2) == ["close", "retry 250"])
        #expect(world.faults == [])
    }

    @Test("A camera that is started, or waits to be tried, on an overloaded machine is opened, or its wait is not told")
    func startedBarred() {
        var world = MachineWorld()
        world.tell(.barred(.systemPressure, "hot"), .start(.command))
        #expect(world.drain() == ["wasInterrupted systemPressure"])
        world.tell(.stop)
        #expect(world.drain() == ["interruptionEnded systemPressure"])
        world.tell(.unbarred, .start(.command), .openFailed(.unplugged), .barred(.systemPressure, "hot"))
        #expect(
            world.drain() == [
                "open", "wasInterrupted deviceAbsent", "retry 250", "interruptionEnded deviceAbsent",
                "wasInterrupted systemPressure", "cancelRetry",
            ])
        #expect(world.faults == [])
    }

    @Test("A camera that is gone is tried ever more often, or never again")
    func backoff() {
        var world = running()
        world.tell(.trouble(.unplugged), .closed)
        var waits: [Duration] = []
        for _ in 0..<7 {
            waits.append(world.wait ?? .zero)
            world.tell(.retryDue, .openFailed(.unplugged))
        }
        #expect(
            waits == [
                .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(5), .seconds(5),
            ])
        #expect(world.notices.count { if case .wasInterrupted = $0 { true } else { false } } == 1)
        _ = world.drain()
        world.tell(.deviceAppeared)
        #expect(world.drain() == ["cancelRetry", "open"], "at once, without the wait")
        world.tell(.opened, .firstFrame)
        #expect(world.drain() == ["interruptionEnded deviceAbsent", "didStartRunning"])
    }

    @Test("A camera that comes back while it is looked for in vain waits as if it had not")
    func appearsDuringAttempt() {
        var world = running()
        world.tell(.trouble(.unplugged), .closed, .retryDue)
        _ = world.drain()
        world.tell(.deviceAppeared)
        #expect(world.drain() == [])
        world.tell(.openFailed(.unplugged))
        #expect(world.drain() == ["open"])
        world.tell(.openFailed(.unplugged))
        #expect(world.drain() == ["retry 250"], "once, and not for ever")
    }

    @Test("An interruption whose reason changes is told as one, or never ends")
    func otherReason() {
        var world = running()
        world.tell(.trouble(.unplugged), .closed, .retryDue)
        _ = world.drain()
        world.tell(.openFailed(.busy))
        #expect(
            world.drain() == ["interruptionEnded deviceAbsent", "wasInterrupted inUseByAnotherClient", "retry 500"])
        world.tell(.retryDue, .openFailed(.denied))
        #expect(world.machine.state.name == "interrupted(accessRevoked)")
    }

    @Test("A broken camera is restarted for ever, or not as often as configured")
    func limit() {
        var world = running(failures: 3)
        world.tell(.trouble(.broken), .closed)
        for attempt in 2...3 {
            world.tell(.retryDue, .openFailed(.broken))
            #expect(world.machine.state.name == "restarting(\(attempt))")
        }
        _ = world.drain()
        world.tell(.retryDue, .openFailed(.broken))
        #expect(world.machine.state.name == "failed")
        #expect(world.drain() == ["open", "runtimeError"])
        world.tell(.retryDue, .start(.preview))
        #expect(world.drain() == [], "nothing but a person or another device changes that")
        world.tell(.resume)
        #expect(world.drain() == ["open"])
        world.tell(.openFailed(.broken))
        #expect(world.machine.state.name == "failed", "it has not run since")
        #expect(world.faults == [])
    }

    @Test("A person who resumes a camera while it is still being closed has done so in vain")
    func resumedWhileClosing() {
        var world = running(failures: 1)
        world.tell(.trouble(.stall))
        _ = world.drain()
        world.tell(.resume, .closed)
        #expect(world.drain() == ["open"], "without the wait")
        world.tell(.opened, .trouble(.stall), .resume)
        #expect(world.machine.state.name == "failed" && !world.machine.isSettled)
        _ = world.drain()
        world.tell(.closed)
        #expect(world.drain() == ["open"])
        world.tell(.openFailed(.broken))
        #expect(world.machine.state.name == "failed" && world.machine.isSettled, "once, and not for ever")
        #expect(world.faults == [])
    }

    @Test("Failures with good hours between them add up until the camera is given up")
    func goodPeriod() {
        var world = running(failures: 2)
        for _ in 0..<10 {
            world.tell(.trouble(.stall), .closed, .retryDue, .opened, .firstFrame, .goodPeriod)
        }
        #expect(world.machine.state == .running)
        for _ in 0..<2 { world.tell(.trouble(.stall), .closed, .retryDue, .opened, .firstFrame) }
        world.tell(.trouble(.stall), .closed)
        #expect(world.machine.state.name == "failed", "without one they count")
    }

    @Test("A stop leaves the device held, or lets it be opened again by itself")
    func stop() {
        var world = running()
        world.tell(.stop)
        #expect(world.drain() == ["close"])
        #expect(world.machine.state == .stopping && !world.machine.isSettled)
        world.tell(.trouble(.broken), .deviceAppeared, .resume, .start(.preview))
        #expect(world.drain() == [])
        world.tell(.closed)
        #expect(world.drain() == ["didStopRunning"])
        world.tell(.deviceAppeared, .retryDue, .resume, .start(.standby))
        #expect(world.drain() == [], "held until somebody starts it")
        world.tell(.start(.command))
        #expect(world.drain() == ["open"])
        #expect(world.faults == [])
    }

    @Test("A stop is lost where the camera is being opened or waits, or a start while it is being closed")
    func stopAtAnyTime() {
        var world = MachineWorld()
        world.tell(.start(.standby), .stop, .opened)
        #expect(world.machine.state == .stopping)
        world.tell(.start(.command), .closed)
        #expect(world.machine.state == .starting, "wanted again meanwhile")
        world.tell(.openFailed(.busy))
        _ = world.drain()
        world.tell(.stop)
        #expect(world.drain() == ["interruptionEnded inUseByAnotherClient", "cancelRetry"])
        #expect(world.machine.state == .stopped)
        world.tell(.start(.command), .stop, .openFailed(.broken))
        #expect(world.machine.state == .stopped, "what was stopped does not fail")
        #expect(world.faults == [])
    }

    @Test("A camera on standby runs on when nobody needs it, or ends while somebody does")
    func demands() {
        var world = MachineWorld()
        world.tell(.release(.preview))
        #expect(world.drain() == [])
        world.tell(.start(.preview), .opened, .firstFrame, .start(.command), .release(.preview))
        #expect(world.machine.state == .running)
        world.tell(.release(.command))
        #expect(world.machine.state == .stopping)
        world.tell(.closed, .start(.preview))
        #expect(world.machine.state == .starting, "nobody has stopped it")
        #expect(world.faults == [])
    }

    @Test("A reconfigured camera runs although it was stopped meanwhile, or stays closed although it is needed")
    func suspension() {
        var world = running()
        world.tell(.suspend)
        #expect(world.drain() == ["close"])
        world.tell(.start(.command), .deviceAppeared, .closed)
        #expect(world.drain() == ["didStopRunning"])
        world.tell(.start(.command))
        #expect(world.machine.state == .stopped)
        world.tell(.unsuspend)
        #expect(world.drain() == ["open"])
        world.tell(.suspend, .closed, .stop, .unsuspend)
        #expect(world.machine.state == .stopped)
        #expect(world.faults == [])
    }

    @Test("What was configured wrongly is tried for ever, or stays closed when it is set right")
    func configuration() {
        var world = MachineWorld()
        world.tell(.start(.standby), .openFailed(.noFormat), .retryDue)
        #expect(world.machine.hardware == .closed && world.wait == nil)
        world.tell(.start(.command))
        #expect(world.machine.state == .starting)
        world.tell(.openFailed(.noFormat), .deviceAppeared)
        #expect(world.machine.state == .starting, "another device may have the format")
    }
}
