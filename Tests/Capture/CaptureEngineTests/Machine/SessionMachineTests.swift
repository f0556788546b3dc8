import CameraKit
import CaptureModel
import Testing

@testable import CaptureEngine

@Suite struct SessionMachineTests {
    /// A world whose session runs, with nothing left to read.
    private func running(failures: Int = 3) -> MachineWorld {
        var world = MachineWorld(failures: failures)
        world.tell(.start(.standby), .opened, .firstFrame)
        _ = world.drain()
        return world
    }

    @Test("Reports running once, with the first good frame")
    func start() {
        var world = MachineWorld()
        world.tell(.start(.command))
        #expect(world.drain() == ["open"])
        #expect(!world.machine.isIdle)
        world.tell(.opened)
        #expect(world.machine.state == .starting)
        world.tell(.firstFrame, .firstFrame, .start(.preview))
        #expect(world.drain() == ["didStartRunning"])
        #expect(world.machine.state == .running && world.machine.isIdle)
    }

    /// What leads to which state and to what, from a running session and from one that is being started.
    @Test(
        "A trouble is taken for another",
        arguments: [
            (
                SessionFailure.unplugged, "interrupted(deviceAbsent)",
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
                "restarting(1)", ["runtimeError 1", "retry 250"]
            ),
            (
                .stall, "restarting(1)", ["runtimeError 1", "didStopRunning", "close", "retry 250"],
                "restarting(1)", ["runtimeError 1", "retry 250"]
            ),
        ])
    func troubles(
        _ trouble: SessionFailure, _ fromRunning: String, _ told: [String], _ fromStarting: String,
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

    @Test("Keeps a camera open through a suspension of the node, and reports its return")
    func nodeSuspended() {
        var world = running()
        world.tell(.nodeSuspended("the machine slept"))
        #expect(world.drain() == ["wasInterrupted nodeSuspended", "didStopRunning"])
        #expect(world.machine.hardware == .open && !world.machine.isIdle)
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

    @Test("Closes its cameras once under overload, and reopens them afterwards")
    func barred() {
        var world = running()
        world.tell(.barred(.systemPressure, "hot"))
        #expect(world.drain() == ["wasInterrupted systemPressure", "didStopRunning", "close"])
        world.tell(.closed, .resume, .deviceAppeared, .start(.command), .barred(.systemPressure, "hotter"))
        #expect(world.drain() == [] && world.machine.isIdle)
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

    @Test("Keeps a camera closed that is started under overload, and reports that it waits")
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

    @Test("Retries an absent camera at growing intervals up to a limit")
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

    @Test("Opens a camera at once when it reappears")
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

    @Test("Reports each change of an interruption's reason, and its end")
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

    @Test("Restarts a broken camera as often as configured")
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
        #expect(world.machine.state.name == "restarting(1)", "the series begins again")
        #expect(world.faults == [])
    }

    @Test("Tries a camera again that fails before it ever ran, as often as one that ran")
    func firstStart() {
        var world = MachineWorld(failures: 3)
        world.tell(.start(.standby))
        for attempt in 1...3 {
            // One opens and gives no frame, another does not open.
            world.tell(.opened, .trouble(.stall), .closed)
            #expect(world.machine.state.name == "restarting(\(attempt))")
            world.tell(.retryDue)
        }
        world.tell(.openFailed(.broken))
        #expect(world.machine.state.name == "failed")
        world.tell(.resume, .openFailed(.broken), .retryDue, .opened, .firstFrame)
        #expect(world.machine.state == .running)
        #expect(world.faults == [])
    }

    @Test("Resumes a camera that is still closing once it is closed")
    func resumedWhileClosing() {
        var world = running(failures: 1)
        world.tell(.trouble(.stall))
        _ = world.drain()
        world.tell(.resume, .closed)
        #expect(world.drain() == ["open"], "without the wait")
        world.tell(.opened, .trouble(.stall), .resume)
        #expect(world.machine.state.name == "failed" && !world.machine.isIdle)
        _ = world.drain()
        world.tell(.closed)
        #expect(world.drain() == ["open"])
        world.tell(.openFailed(.broken))
        #expect(world.machine.state.name == "restarting(1)" && world.machine.isIdle, "once, and not for ever")
        #expect(world.faults == [])
    }

    @Test("Resets the count of failures after good hours")
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

    @Test("Releases the device at a stop, and keeps it closed")
    func stop() {
        var world = running()
        world.tell(.stop)
        #expect(world.drain() == ["close"])
        #expect(world.machine.state == .stopping && !world.machine.isIdle)
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

    @Test("Applies a stop while opening or waiting, and a start while closing")
    func stopAtAnyTime() {
        var world = MachineWorld()
        world.tell(.start(.standby), .stop, .opened)
        #expect(world.machine.state == .stopping)
        world.tell(.start(.command), .closed)
        #expect(world.machine.state == .starting, "wanted again before it was closed")
        world.tell(.openFailed(.busy))
        _ = world.drain()
        world.tell(.stop)
        #expect(world.drain() == ["interruptionEnded inUseByAnotherClient", "cancelRetry"])
        #expect(world.machine.state == .stopped)
        world.tell(.start(.command), .stop, .openFailed(.broken))
        #expect(world.machine.state == .stopped, "what was stopped does not fail")
        #expect(world.faults == [])
    }

    @Test("Runs a camera on standby exactly while something needs it")
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

    @Test("Runs a reconfigured camera exactly where it should run")
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

    @Test("Waits after a configuration error, and starts once it is corrected")
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
