import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Spool
import Testing
import TimeCode
import TurboJPEG
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct FiringTests {
    /// Arms, fires at once, and lets time pass until T and a little more.
    private func capture(
        _ stage: Stage, _ order: CaptureOrder, passing more: Duration = Stage.period * 3
    ) async throws -> CaptureResult {
        _ = try await stage.session.arm(order).get()
        let firing = Task { await stage.session.fire(order.key) }
        await stage.recorder.wait(for: order.key) { $0 == .willCapturePhoto }
        await stage.pass(max(.zero, order.time - stage.now) + more)
        return await firing.value
    }

    /// The picture in the spool is the one the report tells of.
    private func expectTrue(_ report: CaptureReport, _ stage: Stage, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let still = try await stage.still(report)
        #expect(try JPEGDecoder().verify(still).width == 160, sourceLocation: sourceLocation)
        let code = try timeCode(of: still)
        let realtime = stage.clock.wallClockPair().realtimeNanoseconds(at: report.timing.localMidExposure)
        #expect(code.realtimeNanoseconds == realtime, sourceLocation: sourceLocation)
        #expect(UInt64(code.frameNumber) == report.timing.sequence, sourceLocation: sourceLocation)
    }

    @Test("Keeps the frame nearest to T", arguments: Array(stride(from: -190, through: 190, by: 19)))
    func nearest(milliseconds: Int) async throws {
        let stage = try Stage { $0.phaseMilliseconds = 13 }
        try await stage.run {
            await stage.start(frames: 8)
            let time = stage.now + .milliseconds(milliseconds)
            let report = try #require(try await capture(stage, stage.order(time)).report)
            #expect(report.timing.skewNanoseconds == (report.timing.midExposure.time - time).nanoseconds)
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds / 2)
            #expect(report.timing.midExposure.bound == .microseconds(250), "clock and stamp")
            try await expectTrue(report, stage)
        }
    }

    @Test("Keeps the frame nearest to T though frames arrive more than two intervals after their exposure")
    func late() async throws {
        let stage = try Stage { $0.readoutMilliseconds = 95 }
        try await stage.run {
            await stage.start(frames: 8)
            for (number, ahead) in [-50, 3, 15, 60].enumerated() {
                let order = stage.order(stage.now + .milliseconds(ahead), shot: Int64(number))
                let result = try await capture(stage, order, passing: Stage.period * 6)
                let report = try #require(result.report)
                #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds / 2)
                try await expectTrue(report, stage)
            }
        }
    }

    @Test("Says which error its camera shares with those that were measured with it, if it is as when it was measured")
    func sharedError() async throws {
        var generator = SeededGenerator(seed: 1)
        let shared = SharedError(
            MeasurementID(unixMilliseconds: 1, using: &generator), bound: .milliseconds(30))
        let measured = StampCorrection(
            latencyOffset: .milliseconds(-60), uncertainty: .milliseconds(31), measuredExposure: .milliseconds(8),
            measuredFormat: "MJPG 160x120 25 fps", sharedError: shared)
        var (other, longer) = (measured, measured)
        other.measuredFormat = "MJPG 160x120 30 fps"
        longer.measuredExposure = .milliseconds(9)
        // A correction of another format is as good as none, which counts as a frame interval. So is one of which the
        // camera does not state the format, because its newest stamps are others.
        let known = Duration.microseconds(31_150)
        for (correction, origin, expected, bound) in [
            (measured, nil, shared, known), (measured, .startOfExposure, shared, known),
            (measured, .cameraClock, nil, known + Stage.period), (other, nil, nil, known + Stage.period),
            (longer, nil, nil, known),
        ] as [(StampCorrection, StampOrigin?, SharedError?, Duration)] {
            let stage = try Stage(stamps: correction) { $0.stampDelayMilliseconds = 60 }
            stage.tap.stampOrigin.withLock { $0 = origin }
            try await stage.run {
                await stage.start(frames: 8)
                let report = try #require(
                    try await capture(stage, stage.order(stage.now), passing: Stage.period * 6).report)
                #expect(report.timing.sharedError == expected)
                if let origin { #expect(report.timing.stampOrigin == origin) }
                #expect(report.timing.midExposure.bound == bound, "clock and correction")
                try await expectTrue(report, stage)
            }
        }
    }

    @Test("Chooses the nearest frame in spite of jitter", arguments: 1...6)
    func jitter(seed: UInt64) async throws {
        let stage = try Stage {
            $0.jitterMilliseconds = 12
            $0.seed = seed
        }
        try await stage.run {
            await stage.start(frames: 8)
            for (number, ahead) in [-70, -25, 5, 60].enumerated() {
                let order = stage.order(stage.now + .milliseconds(ahead), shot: Int64(number))
                let report = try #require(try await capture(stage, order).report)
                #expect(abs(report.timing.skewNanoseconds) <= 32_000_000)
                try await expectTrue(report, stage)
            }
        }
    }

    @Test("Keeps the frame of T when the shot fires long after it")
    func lateFire() async throws {
        let stage = try Stage(policy: SessionPolicy(ringDepth: .milliseconds(200)))
        try await stage.run {
            await stage.start(frames: 8)
            let time = stage.now
            let order = stage.order(time)
            _ = try await stage.session.arm(order).get()
            await stage.advance(frames: 50)
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds / 2)
            try await expectTrue(report, stage)
        }
    }

    @Test(
        "Chooses an intact frame where that of T is damaged",
        arguments: [VirtualFault.Kind.torn, .damaged, .erroneous, .dropped])
    func damagedAtT(kind: VirtualFault.Kind) async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start(frames: 8)
            // The last frame came out at the present instant; the next one is exposed at T.
            let time = stage.now - Stage.latency + Stage.period
            try stage.camera.faults.inject(VirtualFault(kind, count: 1))
            let report = try #require(try await capture(stage, stage.order(time)).report)
            #expect(abs(report.timing.skewNanoseconds) == Stage.period.nanoseconds)
            try await expectTrue(report, stage)
        }
    }

    @Test(
        "Without a good frame around T a farther one becomes the still, or the shot waits for ever",
        arguments: [VirtualFault.Kind.torn, .erroneous, .dropped])
    func noneNearT(kind: VirtualFault.Kind) async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start(frames: 8)
            let order = stage.order(stage.now + .milliseconds(80))
            try stage.camera.faults.inject(VirtualFault(kind, count: 5))
            #expect(try await capture(stage, order).problem?.code == .noFrameNearTime)
            #expect(await stage.spool.usage().reservedBytes == 0)
            #expect(await stage.spool.inventory().isEmpty)
            #expect(
                stage.recorder.steps(of: order.key).map(\.name)
                    == ["willBegin", "willCapture", "didFinish(noFrameNearTime)"])
        }
    }

    @Test("Stores a damaged picture if no whole one is near T, and says what is wrong with it")
    func onlyDamaged() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start(frames: 8)
            let order = stage.order(stage.now + .milliseconds(80))
            try stage.camera.faults.inject(VirtualFault(.damaged, count: 8))
            let report = try #require(try await capture(stage, order).report)
            let still = try #require(report.files.first)
            #expect(still.kind == .photo && still.shortfall?.code == .corrupted)
            #expect(still.shortfall?.message.contains("restart markers are incomplete") == true)
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds / 2)
            let stored = try await stage.still(report)
            #expect(Int64(stored.count) == still.byteCount)
            #expect(throws: TurboJPEGError.self) { try JPEGDecoder().verify(stored.span) }
            // The next one is whole, so the report says nothing.
            await stage.advance(frames: 8)
            let next = try #require(try await capture(stage, stage.order(stage.now, shot: 2)).report)
            #expect(next.files.allSatisfy { $0.shortfall == nil })
        }
    }

    @Test("Takes pictures with a camera that sends bytes after each, or no end marker", arguments: [true, false])
    func inexact(isTrailing: Bool) async throws {
        let stage = try Stage { $0.faults = [VirtualFault(isTrailing ? .trailing : .unended)] }
        try await stage.run {
            await stage.start(frames: 8)
            let report = try #require(try await capture(stage, stage.order(stage.now + .milliseconds(60))).report)
            try await expectTrue(report, stage)
            #expect(report.files.allSatisfy { $0.shortfall == nil })
            #expect(try await stage.still(report).suffix(2) == [0xFF, 0xD9])
            let counters = await stage.session.condition.counters
            #expect(counters.torn == 0 && counters.damaged == 0)
            #expect((counters.trimmed == counters.delivered) == isTrailing)
        }
    }

    @Test("Takes pictures of another size than the camera agreed on, and announces that size")
    func otherSize() async throws {
        let stage = try Stage { $0.faults = [VirtualFault(.resized)] }
        try await stage.run {
            await stage.start(frames: 8)
            #expect(await stage.session.condition.format?.width == 176)
            let order = stage.order(stage.now + .milliseconds(60))
            let resolved = try await stage.session.arm(order).get()
            #expect((resolved.width, resolved.height) == (176, 136))
            await stage.pass(.milliseconds(200))
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(try JPEGDecoder().verify(try await stage.still(report)).width == 176)
            #expect(await stage.session.condition.counters.torn == 2, "until it was certain")
        }
    }

    @Test("Reports a camera that is unplugged between arming and T")
    func unplugged() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start(frames: 8)
            let order = stage.order(stage.now + .milliseconds(200))
            _ = try await stage.session.arm(order).get()
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(400))
            let problem = await firing.value.problem
            #expect(problem?.code == .deviceLost)
            #expect(problem?.message.contains("unplugged") == true)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Keeps the frame of T when the camera is unplugged after it")
    func unpluggedAfterT() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start(frames: 8)
            let order = stage.order(stage.now - .milliseconds(80))
            _ = try await stage.session.arm(order).get()
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            let report = try #require(await stage.session.fire(order.key).report)
            try await expectTrue(report, stage)
        }
    }

    @Test("Keeps sixteen simultaneous shots apart")
    func overlapping() async throws {
        let stage = try Stage { $0.phaseMilliseconds = 7 }
        try await stage.run {
            await stage.start(frames: 8)
            let orders = (0..<16).map { stage.order(stage.now + .milliseconds($0 * 23 - 100), shot: Int64($0)) }
            for order in orders { _ = try await stage.session.arm(order).get() }
            let firing = orders.map { order in Task { await stage.session.fire(order.key) } }
            await stage.pass(.milliseconds(500))
            for (order, task) in zip(orders, firing) {
                let report = try #require(await task.value.report)
                #expect(report.key == order.key)
                #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds / 2)
                try await expectTrue(report, stage)
            }
            #expect(await stage.spool.inventory().count == 16)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Fails a shot whose clock estimate is lost between arming and T")
    func clockLost() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(100))
            _ = try await stage.session.arm(order).get()
            stage.rig.lose()
            #expect(await stage.session.fire(order.key).problem?.code == .unsynchronized)
        }
    }
}
