import CaptureModel
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

@Suite(.timeLimit(.minutes(10))) struct ArmingTests {
    @Test("Arms a running camera and tells what its still will be")
    func armed() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(200))
            let resolved = try await stage.session.arm(order).get()
            #expect(resolved.width == 160)
            #expect(resolved.height == 120)
            #expect(resolved.isCameraEncoded)
            #expect(resolved.streamFormat.frameInterval == Stage.period)
            #expect(stage.recorder.steps(of: order.key) == [.willBeginCapture(resolved)])
            #expect(await stage.spool.usage().reservedBytes > 0)
        }
    }

    @Test("Refuses to arm an absent camera")
    func absent() async throws {
        let stage = try Stage { $0.faults = [VirtualFault(.unplugged)] }
        try await stage.run {
            await stage.pass(until: .absent)
            let problem = await stage.session.arm(stage.order(stage.now)).failure
            #expect(problem?.code == .notRunning)
            #expect(problem?.message.contains("unplugged") == true)
        }
    }

    @Test("Refuses to arm a camera that has delivered no frame")
    func starting() async throws {
        let stage = try Stage { $0.startDelayMilliseconds = 60_000 }
        let problem = await stage.session.arm(stage.order(stage.now)).failure
        #expect(problem?.code == .notRunning)
    }

    @Test("Refuses to arm a camera whose frames have stopped")
    func stalled() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.stalled))
            await stage.advance(frames: 2)
            #expect(await stage.session.arm(stage.order(stage.now)).failure == nil, "two periods are not silence")
            await stage.advance(frames: 2)
            let order = stage.order(stage.now, shot: 2)
            async let answer = stage.session.arm(order)
            await stage.awaitFrameAlarm()
            await stage.pass(PendingCaptures.framePatience)
            #expect(await answer.failure?.code == .noRecentFrame)
            #expect(stage.recorder.steps(of: order.key).isEmpty, "a refused order has no life cycle")
            await stage.pass(until: .stalled)
            #expect(await stage.session.arm(order).failure?.code == .notRunning)
        }
    }

    @Test("Arms a camera that paused, where its next frame comes in time for T")
    func hiccup() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.stalled, forSeconds: 0.3))
            await stage.advance(frames: 4)
            let order = stage.order(stage.now + .milliseconds(300))
            async let answer = stage.session.arm(order)
            await stage.awaitFrameAlarm()
            await stage.pass(.milliseconds(250))
            #expect(await answer.failure == nil)
            #expect(await !stage.session.isWaitingToArm)
        }
    }

    @Test("Refuses a camera that is stopped while arming waits for it")
    func stoppedMeanwhile() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            try stage.camera.faults.inject(VirtualFault(.stalled))
            await stage.advance(frames: 4)
            async let answer = stage.session.arm(stage.order(stage.now))
            await stage.awaitFrameAlarm()
            await stage.session.stopRunning()
            #expect(await answer.failure?.code == .notRunning)
        }
    }

    @Test("Arms exactly the T that the ring still holds")
    func reach() async throws {
        let stage = try Stage(policy: SessionPolicy(ringDepth: .milliseconds(400)))
        try await stage.run {
            await stage.start(frames: 30)
            #expect(await stage.session.ringReach == .milliseconds(400))
            let problem = await stage.session.arm(stage.order(stage.now - .milliseconds(600), shot: 1)).failure
            #expect(problem?.code == .beforeRing)
            #expect(problem?.message.contains("T is 600.0 ms in the past") == true)
            #expect(await stage.session.arm(stage.order(stage.now - .milliseconds(380), shot: 2)).failure == nil)
        }
    }

    @Test("Holds no ring memory for a T in the far future")
    func tooFarAhead() async throws {
        let stage = try Stage(policy: SessionPolicy(maximumLead: .seconds(60)))
        try await stage.run {
            await stage.start()
            let problem = await stage.session.arm(stage.order(stage.now + .milliseconds(60_100), shot: 1)).failure
            #expect(problem?.code == .tooFarAhead)
            #expect(problem?.message.contains("T is 100.0 ms beyond the limit of 1 min 0 s in the future") == true)
            #expect(await stage.session.arm(stage.order(stage.now + .seconds(60), shot: 2)).failure == nil)
            for extreme in [Int64.min, .max] {
                let order = stage.order(RigTime(nanoseconds: extreme), shot: 3)
                #expect(await stage.session.arm(order).failure != nil)
            }
        }
    }

    @Test("Refuses to arm without a known rig time")
    func unsynchronized() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            var order = stage.order(stage.now)
            order.rigClock = RigClockID(rawValue: "rig-0")
            #expect(await stage.session.arm(order).failure?.code == .unsynchronized)
            stage.rig.lose()
            #expect(await stage.session.arm(stage.order(stage.now)).failure?.code == .unsynchronized)
        }
    }

    @Test("Refuses to arm on a full spool")
    func noSpace() async throws {
        let stage = try Stage(spoolLimit: 100_000)
        try await stage.run {
            await stage.start()
            let first = stage.order(stage.now + .milliseconds(100), shot: 1)
            #expect(await stage.session.arm(first).failure == nil)
            let second = stage.order(stage.now + .milliseconds(100), shot: 2)
            #expect(await stage.session.arm(second).failure?.code == .noSpace)
            await stage.session.cancel(first.key)
            #expect(await stage.session.arm(second).failure == nil, "what the first had reserved is free again")
        }
    }

    @Test("Arms no more shots than the ring has frames for")
    func noMemory() async throws {
        let stage = try Stage(policy: SessionPolicy(ringByteLimit: 60_000))
        try await stage.run {
            await stage.start()
            var problems: [RigProblem?] = []
            for number in Int64(1)...12 {
                problems.append(await stage.session.arm(stage.order(stage.now, shot: number)).failure)
            }
            #expect(problems.first == .some(nil))
            #expect(problems.last??.code == .noMemory)
            #expect(problems.last??.message.contains("ring of 60000 bytes") == true)
            #expect(await stage.session.abilities.photo.reason?.contains("ring of 60000 bytes") == true)
        }
    }

    @Test("Refuses a 65th capture by the ring's limit or by the limit of 64")
    func captureLimit() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            for number in 1...Int64(PendingCaptures.limit) {
                #expect(await stage.session.arm(stage.order(stage.now, shot: number)).failure == nil)
            }
            let problem = await stage.session.arm(stage.order(stage.now, shot: 1000)).failure
            #expect(problem?.code == .noMemory)
            #expect(problem?.message.contains("64 captures are under way") == true, "\(problem?.message ?? "")")
            #expect(problem?.message.contains("ring") == false)
            #expect(await stage.session.abilities.photo.reason?.contains("64 captures are under way") == true)
        }
    }

    @Test("Answers a repeated request with the first answer, and reserves once")
    func repeated() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(100))
            let first = await stage.session.arm(order)
            let reserved = await stage.spool.usage().reservedBytes
            await stage.advance(frames: 1)
            #expect(await stage.session.arm(order) == first)
            #expect(await stage.spool.usage().reservedBytes == reserved)
            #expect(stage.recorder.steps(of: order.key).count == 1)
        }
    }

    @Test("Keeps T of an armed shot")
    func otherTime() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let time = stage.now + .milliseconds(100)
            let order = stage.order(time)
            _ = try await stage.session.arm(order).get()
            let other = stage.order(time + .milliseconds(40))
            #expect(await stage.session.arm(other).failure?.code == .conflict)
            await stage.advance(frames: 5)
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(report.timing.skewNanoseconds == (report.timing.midExposure.time - time).nanoseconds)
        }
    }

    @Test("Frees all reservations of requests that arrive together")
    func concurrentOrders() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let time = stage.now + .milliseconds(100)
            let orders = (0..<8).map { stage.order(time + .milliseconds($0 % 2)) }
            let armed = await withTaskGroup(of: Bool.self) { group in
                for order in orders { group.addTask { await stage.session.arm(order).failure == nil } }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(armed == 4, "one T is armed, the orders with the other are refused")
            await stage.session.cancel(orders[0].key)
            #expect(await stage.spool.usage().reservedBytes == 0)
            #expect(stage.recorder.steps(of: orders[0].key).map(\.name) == ["willBegin", "didFinish(cancelled)"])
        }
    }
}
