import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import VirtualDevices

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    @Test("Restarts a stalled stream by itself")
    func watchdog() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.stalled, forSeconds: 3))
            await stage.pass(until: .stalled)
            await stage.pass(until: .running, times: 2)
            #expect(stage.recorder.states.filter { $0 != .starting } == [.running, .stalled, .running])
            let condition = await stage.session.condition
            #expect(condition.reason == nil)
            #expect(condition.counters.stalls == 1)
            try await capturesPicture(stage)
        }
    }

    @Test("Reopens a camera that is plugged in again")
    func replug() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            let delivered = await stage.session.condition.counters.delivered
            await stage.pass(.seconds(20))
            #expect(await stage.session.condition.state == .absent)
            #expect(await stage.session.condition.reason?.contains("unplugged") == true)
            stage.camera.faults.clear(.unplugged)
            let before = stage.clock.now()
            await stage.pass(until: .running, times: 2)
            #expect(stage.clock.now() - before < .seconds(6), "the longest wait between attempts is five seconds")
            #expect(await stage.session.condition.counters.delivered > delivered, "counted on")
            try await capturesPicture(stage)
        }
    }

    @Test("Retries a camera that another program holds at the start")
    func busy() async throws {
        let stage = try Stage { $0.faults = [VirtualFault(.busy, count: 3)] }
        try await stage.run {
            await stage.pass(until: .busy)
            let problem = await stage.session.arm(stage.order(stage.now)).failure
            #expect(problem?.message.contains("another program") == true)
            await stage.pass(until: .running)
            try await capturesPicture(stage)
        }
    }

    @Test("Reports a forbidden camera as such, and tries again when its permissions change")
    func denied() async throws {
        let stage = try Stage { $0.faults = [VirtualFault(.denied, count: 1)] }
        try await stage.run {
            await stage.pass(until: .denied)
            await stage.pass(until: .running)
        }
    }

    @Test("Counts lost frames under their cause")
    func counters() async throws {
        let stage = try Stage {
            $0.faults = [
                VirtualFault(.torn, fromFrame: 10, count: 2), VirtualFault(.dropped, fromFrame: 20, count: 3),
                VirtualFault(.erroneous, fromFrame: 30, count: 4),
            ]
        }
        try await stage.run {
            await stage.start(frames: 50)
            let counters = await stage.session.condition.counters
            #expect(counters.torn == 2)
            #expect(counters.droppedByDevice == 3)
            #expect(counters.flaggedErroneous == 4)
            #expect(counters.droppedByNode == 0)
            #expect(counters.stalls == 0)
            // The first frame is there at the start, and fifty more follow.
            #expect(counters.delivered == 51 - 9)
        }
    }

    @Test("Counts frames that find the ring full of pinned frames")
    func ringFull() async throws {
        let stage = try Stage(policy: SessionPolicy(ringByteLimit: 60_000))
        try await stage.run {
            await stage.start()
            var armed = 0
            while await stage.session.arm(stage.order(stage.now + Stage.period * 3 * armed, shot: Int64(armed))).failure
                == nil
            {
                armed += 1
                try #require(armed < 64)
            }
            #expect(armed > 0)
            await stage.advance(frames: 30)
            let counters = await stage.session.condition.counters
            #expect(counters.delivered + counters.droppedByNode == 4 + 1 + 30)
        }
    }

    @Test("Tells a ring full of pinned frames from a stalled camera, and frees expired pins")
    func fullRing() async throws {
        let stage = try Stage(policy: SessionPolicy(ringByteLimit: 60_000))
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now, pinnedFor: .seconds(5))
            _ = try await stage.session.arm(order).get()
            await stage.session.pinEverything(for: order.key)
            await stage.pass(.seconds(4))
            let counters = await stage.session.condition.counters
            #expect(counters.droppedByNode > 50 && counters.stalls == 0)
            #expect(await stage.session.condition.state == .running)
            await stage.pass(.seconds(2))
            let later = await stage.session.condition.counters
            #expect(later.delivered > counters.delivered && later.stalls == 0)
            #expect(stage.recorder.steps(of: order.key).last?.name == "didFinish(expired)")
        }
    }

    @Test("Tells the planner the phase of the exposures")
    func phase() async throws {
        let stage = try Stage { $0.phaseMilliseconds = 11 }
        try await stage.run {
            await stage.start(frames: 20)
            let phase = try #require(await stage.session.condition.phase)
            #expect(abs(phase.periodNanoseconds - Stage.period.nanoseconds) < 1000)
            // 7200 s are a whole number of periods.
            #expect(phase.midExposure.nanoseconds % Stage.period.nanoseconds == 11_000_000)
            #expect(phase.offset == .milliseconds(11))
            #expect(phase.bound == .microseconds(250), "150 of the clock, and 100 of the stamp")
            #expect(try #require(phase.periodBoundNanoseconds) < 1000)
        }
    }

    @Test(
        "Says why a camera gives no good frame, and tries again until it does",
        arguments: [
            (VirtualFault.Kind.torn, "were not a whole picture of 160x120; the newest: The JPEG is torn"),
            (.erroneous, "were flagged as erroneous by the driver"), (.stalled, "no frame in 5.0 s"),
        ])
    func badStart(kind: VirtualFault.Kind, text: String) async throws {
        let stage = try Stage { $0.faults = [VirtualFault(kind, forSeconds: 12)] }
        try await stage.run {
            await stage.pass(until: .stalled)
            let reason = try #require(await stage.session.condition.reason)
            #expect(reason.contains(text) && reason.contains("attempt 1 of 10"), "\(reason)")
            // 25 frames a second; the one of this instant may be counted or not.
            let counts = ["124 of 124 frames in 5.0 s", "125 of 125 frames in 5.0 s"]
            #expect(kind == .stalled || counts.contains { reason.hasPrefix($0) }, "\(reason)")
            await stage.pass(until: .running)
            try await capturesPicture(stage)
        }
    }

    @Test("Says that pictures of another size came, where the stream has one already")
    func changedSize() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.resized))
            await stage.pass(until: .stalled)
            let reason = try #require(await stage.session.condition.reason)
            let text = "frames in 2.0 s were not a picture of 160x120; the newest is 176x136"
            let texts = ["49 of 49 " + text, "50 of 50 " + text]
            #expect(texts.contains { reason.hasPrefix($0) }, "\(reason)")
            await stage.pass(until: .running, times: 2)
            #expect(await stage.session.condition.format?.width == 176, "the next stream has that size")
        }
    }

    @Test("Waits for a camera whose first frame takes seconds")
    func slowStart() async throws {
        let stage = try Stage { $0.faults = [VirtualFault(.slowStart, delaySeconds: 2.5)] }
        try await stage.run {
            await stage.pass(until: .running)
            #expect(stage.recorder.states.filter { $0 != .starting } == [.running])
            try await capturesPicture(stage)
        }
    }

    @Test("Does not take a camera for stalled that is slow on purpose", arguments: [0.5, 0.2])
    func timeLapse(framesPerSecond: Double) async throws {
        let stage = try Stage { $0.framesPerSecond = framesPerSecond }
        try await stage.run {
            await stage.pass(until: .running)
            await stage.pass(.seconds(60))
            let condition = await stage.session.condition
            #expect(condition.state == .running && condition.counters.stalls == 0)
            #expect(condition.counters.delivered >= UInt64(60 * framesPerSecond))
            // One frame may be missing; if no more come, it is stalled.
            try stage.camera.faults.inject(VirtualFault(.dropped, count: 1))
            await stage.pass(.seconds(30))
            #expect(await stage.session.condition.counters.stalls == 0)
            try stage.camera.faults.inject(VirtualFault(.stalled))
            await stage.pass(until: .stalled)
        }
    }

    private func capturesPicture(_ stage: Stage) async throws {
        await stage.advance(frames: 4)
        let order = stage.order(stage.now - .milliseconds(60), shot: 99)
        _ = try await stage.session.arm(order).get()
        #expect(await stage.session.fire(order.key).report != nil)
    }
}

extension CaptureSession {
    /// As captures do whose windows reach over all that the ring can hold.
    fileprivate func pinEverything(for key: CaptureKey) {
        core.pin(key, window: LocalTime(nanoseconds: .min)...LocalTime(nanoseconds: .max))
    }
}
