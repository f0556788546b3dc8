import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Captures for which the camera is set: with light, or bracketed.
@Suite(.timeLimit(.minutes(10))) struct PreparedCaptureTests {
    private func fire(_ stage: Stage, _ order: CaptureOrder) async throws -> CaptureReport {
        _ = try await stage.session.arm(order).get()
        let firing = Task { await stage.session.fire(order.key) }
        await stage.pass(.milliseconds(1500))
        return try #require(await firing.value.report)
    }

    /// A camera whose pictures tell by their mean luma how the scene is lit. At 160 × 120 they do not: three quarters of the
    /// picture are the time code, which no light changes and whose cells vary, and the rest is less than a period of the
    /// moving stripes, so that the torch raises a mean of 81 ± 6 to 92 ± 9. At 640 × 360 it is 108 ± 1 to 152 ± 1.
    private static func litStage(configure: (inout VirtualCameraConfiguration) -> Void = { _ in }) throws -> Stage {
        try Stage {
            ($0.width, $0.height) = (640, 360)
            configure(&$0)
        }
    }

    private func luma(_ stage: Stage, _ report: CaptureReport, _ kind: AssetKind = .photo) async throws -> Int {
        try #require(LumaMeter.meanLuma(of: try await stage.bytes(of: kind, report)))
    }

    @Test(
        "A picture with flash is as dark as one without, says so wrongly, or the light stays on",
        .enabled(if: ExternalTool.isExpected("exiftool")))
    func flash() async throws {
        let stage = try Self.litStage()
        try await stage.run {
            await stage.start()
            let before = try await stage.controls()
            var pictures: [(luma: Int, exif: String, isUsed: Bool?)] = []
            for (number, mode) in [FlashMode.off, .on].enumerated() {
                let report = try await fire(
                    stage,
                    stage.order(
                        stage.now + .milliseconds(400), shot: Int64(number), settings: PhotoSettings(flash: mode)))
                let folder = try TemporaryFolder()
                let path = try folder.write(try await stage.still(report), as: "still.jpg")
                let exif = try ExternalTool.run("exiftool", "-s3", "-Flash", path).output
                pictures.append((try await luma(stage, report), exif, report.resolved.isFlashUsed))
                #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds)
            }
            #expect(pictures.map(\.isUsed) == [false, true])
            #expect(pictures[1].luma > pictures[0].luma + 30, "\(pictures)")
            #expect(pictures[0].exif.contains("Off") && pictures[1].exif.contains("Fired"), "\(pictures)")
            let after = try await stage.controls()
            #expect(after == before)
        }
    }

    @Test("Says whether a photo can be lit, and why not")
    func flashAbility() async throws {
        let stage = try Stage()
        #expect(await !stage.session.abilities.flash.isAllowed)
        try await stage.run {
            await stage.start()
            #expect(await stage.session.abilities.flash == .allowed)
            _ = try await stage.session.arm(stage.order(stage.now + .seconds(1))).get()
            #expect(await stage.session.abilities.flash.reason?.contains("cannot overlap") == true)
        }
    }

    @Test("Fires the flash in mode auto for a dark scene only", arguments: [(0.5, true), (12.0, false)])
    func automatic(exposureMilliseconds: Double, isLit: Bool) async throws {
        let stage = try Self.litStage { $0.exposureMilliseconds = exposureMilliseconds }
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(400), settings: PhotoSettings(flash: .auto))
            let report = try await fire(stage, order)
            #expect(report.resolved.isFlashUsed == isLit)
            #expect(try await stage.controls()["flash_led_mode"] == 0)
        }
    }

    @Test("Takes each bracketed exposure into its own file, and restores the camera")
    func bracket() async throws {
        let stage = try Self.litStage()
        try await stage.run {
            await stage.start()
            let before = try await stage.controls()
            let exposures: [Int64] = [2_000_000, 8_000_000, 24_000_000]
            let settings = PhotoSettings(
                previewSize: 80, bracket: exposures.map { BracketStep(exposureNanoseconds: $0) })
            let order = stage.order(stage.now + .milliseconds(400), settings: settings)
            let report = try await fire(stage, order)
            #expect(report.resolved.bracketCount == 3)
            #expect(report.files.map(\.kind) == [.photo, .photo2, .photo3, .preview])
            #expect(report.timing.exposureNanoseconds == exposures[0])
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds)
            var lumas: [Int] = []
            for kind in [AssetKind.photo, .photo2, .photo3] { lumas.append(try await luma(stage, report, kind)) }
            #expect(lumas[0] + 30 < lumas[1] && lumas[1] + 30 < lumas[2], "\(lumas)")
            #expect(
                stage.recorder.steps(of: order.key).map(\.name) == [
                    "willBegin", "willCapture", "didCapture", "preview", "didFinishProcessing", "didFinishProcessing",
                    "didFinishProcessing", "didFinishProcessing", "didFinish",
                ])
            let after = try await stage.controls()
            #expect(after == before)
        }
    }

    @Test("Restores light and exposure after a capture without frames")
    func failing() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let before = try await stage.controls()
            let settings = PhotoSettings(
                flash: .on, bracket: [1, 2].map { BracketStep(exposureNanoseconds: $0 * 2_000_000) })
            let order = stage.order(stage.now + .milliseconds(400), settings: settings)
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(300))
            #expect(try await stage.controls()["flash_led_mode"] == 2)
            try stage.camera.faults.inject(VirtualFault(.torn, count: 8))
            await stage.pass(.milliseconds(1500))
            #expect(await firing.value.problem?.code == .noFrameNearTime)
            let after = try await stage.controls()
            #expect(after == before)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Keeps the light on until the slowest camera of the shot has exposed")
    func othersExpose() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            var order = stage.order(stage.now + .milliseconds(400), settings: PhotoSettings(flash: .on))
            order.setUntil = order.time + .milliseconds(600)
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(900))
            #expect(try await light(stage) == 2)
            await stage.pass(.milliseconds(300))
            #expect(try await light(stage) == 0)
            let report = try #require(await firing.value.report)
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds)
        }
    }

    @Test("Restores settings once after the process is killed during a capture")
    func killed() async throws {
        let stage = try Stage()
        let device = stage.session.device.id
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(400), settings: PhotoSettings(flash: .on))
            _ = try await stage.session.arm(order).get()
            #expect(await stage.spool.keptControls(of: device) == ["flash_led_mode": 0], "before anything is set")
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(1500))
            #expect(await firing.value.report != nil)
            #expect(await stage.spool.keptControls(of: device) == nil)
            let cancelled = stage.order(stage.now + .seconds(1), shot: 2, settings: PhotoSettings(flash: .on))
            _ = try await stage.session.arm(cancelled).get()
            await stage.session.cancel(cancelled.key)
            #expect(await stage.spool.keptControls(of: device) == nil)
            // As a process leaves it that is killed while the light is on.
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            try await stage.spool.keepControls(["flash_led_mode": 0], of: device)
            await reopen(stage, times: 2)
            #expect(try await light(stage) == 0)
            #expect(await stage.spool.keptControls(of: device) == nil)
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            await reopen(stage, times: 3)
            #expect(try await light(stage) == 2, "what somebody sets afterwards stays")
        }
    }

    /// Stops the camera and has it run again, for so many times in all.
    private func reopen(_ stage: Stage, times count: Int) async {
        await stage.session.stopRunning()
        let starting = Task { await stage.session.startRunning() }
        await stage.pass(until: .running, times: count)
        _ = await starting.value
    }

    @Test("Turns the light off when the camera is stopped during a capture")
    func stopped() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let order = stage.order(stage.now + .milliseconds(400), settings: PhotoSettings(flash: .on))
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await stage.pass(.milliseconds(300))
            #expect(try await light(stage) == 2)
            await stage.session.stopRunning()
            #expect(try await light(stage) == 0)
            await stage.pass(.milliseconds(500))
            #expect(await firing.value.problem != nil)
        }
    }

    /// As the device has it, streaming or not.
    private func light(_ stage: Stage) async throws -> Int64? {
        try await stage.camera.capabilities().controls.first { $0.name == "flash_led_mode" }?.value
    }

    @Test("Refuses a flash that cannot be on by T, and overlapping changes of exposure")
    func refused() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let lit = PhotoSettings(flash: .on)
            let late = await stage.session.arm(stage.order(stage.now + .milliseconds(100), shot: 1, settings: lit))
            #expect(late.failure?.code == .tooSoon)
            #expect(late.failure?.message.contains("--lead") == true)
            let first = stage.order(stage.now + .milliseconds(400), shot: 2, settings: lit)
            _ = try await stage.session.arm(first).get()
            let plain = stage.order(stage.now + .milliseconds(400), shot: 3)
            #expect(await stage.session.arm(plain).failure?.code == .conflict)
            await stage.session.cancel(first.key)
            _ = try await stage.session.arm(plain).get()
            let other = stage.order(stage.now + .milliseconds(600), shot: 4, settings: lit)
            #expect(await stage.session.arm(other).failure?.code == .conflict)
        }
    }
}
