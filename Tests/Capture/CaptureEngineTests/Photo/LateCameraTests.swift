import CameraSettings
import CaptureModel
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Brackets and flash of cameras that act some frames late.
@Suite(.timeLimit(.minutes(10))) struct LateCameraTests {
    private static let exposures: [Int64] = [2_000_000, 8_000_000, 24_000_000]
    private let bracket = PhotoSettings(bracket: exposures.map { BracketStep(exposureNanoseconds: $0) })

    /// A camera of another model than the one whose delays are known, and whose pictures tell its exposure by their
    /// mean luma.
    private func stage(delay: Int, jitter: Int = 0, statesValues: Bool) throws -> Stage {
        try Stage(statesValues: statesValues) {
            ($0.width, $0.height) = (640, 360)
            $0.model = "Late"
            ($0.controls.delayFrames, $0.controls.delayJitterFrames) = (delay, jitter)
        }
    }

    private func fire(
        _ stage: Stage, in ahead: Duration = .seconds(1), shot: Int64 = 1, _ settings: PhotoSettings,
        for duration: Duration = .seconds(5)
    ) async throws -> CaptureResult {
        let order = stage.order(stage.now + ahead, shot: shot, settings: settings)
        _ = try await stage.session.arm(order).get()
        let firing = Task { await stage.session.fire(order.key) }
        await stage.pass(duration)
        return await firing.value
    }

    private func lumas(_ stage: Stage, _ report: CaptureReport) async throws -> [Int] {
        var lumas: [Int] = []
        for kind in [AssetKind.photo, .photo2, .photo3] { lumas.append(try await luma(stage, report, kind)) }
        return lumas
    }

    private func luma(_ stage: Stage, _ report: CaptureReport, _ kind: AssetKind = .photo) async throws -> Int {
        try #require(LumaMeter.meanLuma(of: try await stage.bytes(of: kind, report)))
    }

    /// Whether a still has EXIF's tag ExposureTime: its number and its type, a rational, in either byte order.
    private func statesExposure(_ stage: Stage, _ report: CaptureReport) async throws -> Bool {
        let bytes = Array(try await stage.still(report).prefix(2048))
        return bytes.indices.contains { index in
            [[0x82, 0x9A, 0, 5], [0x9A, 0x82, 5, 0]].contains(Array(bytes[index...].prefix(4)))
        }
    }

    /// What the frame of a capture was really exposed with.
    private func truth(_ stage: Stage, _ report: CaptureReport) throws -> FrameFacts {
        try #require(stage.tap.truth.first { $0.sequence == report.timing.sequence })
    }

    @Test("Each picture of a bracket has its exposure if frames state theirs, however late", arguments: [0, 3, 6, 9])
    func stated(delay: Int) async throws {
        let stage = try stage(delay: delay, jitter: 1, statesValues: true)
        try await stage.run {
            await stage.start()
            let report = try #require(try await fire(stage, bracket).report)
            #expect(report.timing.settings == nil)
            #expect(report.timing.exposureNanoseconds == Self.exposures[0])
            #expect(try truth(stage, report).exposure == .nanoseconds(Self.exposures[0]))
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds)
            let lumas = try await lumas(stage, report)
            #expect(lumas[0] + 30 < lumas[1] && lumas[1] + 30 < lumas[2], "\(lumas)")
        }
    }

    @Test(
        "Without evidence the pictures are taken late, and their capture says that it does not know", arguments: [1, 6])
    func unknown(delay: Int) async throws {
        let stage = try stage(delay: delay, statesValues: false)
        try await stage.run {
            await stage.start()
            let report = try #require(try await fire(stage, bracket).report)
            #expect(report.timing.settings == .changing(from: nil, to: nil))
            #expect(report.timing.exposureNanoseconds == nil)
            let truth = try truth(stage, report)
            let error = try #require(stage.rig.rigTime(at: truth.midExposure)).time - report.timing.midExposure.time
            #expect(error.magnitude <= report.timing.midExposure.bound)
            let lumas = try await lumas(stage, report)
            #expect(lumas[0] + 30 < lumas[1] && lumas[1] + 30 < lumas[2], "\(lumas)")
            #expect(try await statesExposure(stage, report) == false)
        }
    }

    @Test("A capture fails if no frame near T has its values yet, and the camera gets back its own")
    func tooLate() async throws {
        let stage = try stage(delay: 20, statesValues: true)
        try await stage.run {
            await stage.start()
            let problem = try await fire(stage, in: .milliseconds(600), bracket).problem
            #expect(problem?.code == .noFrameNearTime)
            await stage.advance(frames: 30)
            #expect(stage.tap.truth.last?.exposure == .milliseconds(8))
        }
    }

    @Test("A further picture whose values never come fails instead of being taken with others")
    func never() async throws {
        let stage = try stage(delay: 50, statesValues: true)
        try await stage.run {
            await stage.start()
            let same = PhotoSettings(bracket: [8, 2].map { BracketStep(exposureNanoseconds: $0 * 1_000_000) })
            let problem = try await fire(stage, same).problem
            #expect(
                problem?.code == .noFrameNearTime && problem?.message.contains("picture 2") == true, "\(problem as Any)"
            )
        }
    }

    @Test("A measured delay is evidence, also for a flash, and is waited for")
    func calibrated() async throws {
        var camera = CameraPeculiarities(match: CameraMatch(model: "Late"))
        for name in ["flash_led_mode", "exposure_time_absolute", "auto_exposure"] {
            camera.delays[name] = FrameDelay(fewest: 4, most: 6)
        }
        let stage = try Stage(statesValues: false, cameras: CameraCatalogue([camera])) {
            ($0.width, $0.height) = (640, 360)
            ($0.model, $0.controls.delayFrames) = ("Late", 5)
        }
        try await stage.run {
            await stage.start()
            let near = stage.order(stage.now + .milliseconds(400), shot: 9, settings: bracket)
            #expect(await stage.session.arm(near).failure?.code == .tooSoon)
            let report = try #require(try await fire(stage, bracket).report)
            #expect(report.timing.settings == nil)
            #expect(report.timing.exposureNanoseconds == Self.exposures[0])
            let lumas = try await lumas(stage, report)
            #expect(lumas[0] + 30 < lumas[1] && lumas[1] + 30 < lumas[2], "\(lumas)")
            let dark = try #require(try await fire(stage, shot: 2, PhotoSettings(flash: .off)).report)
            let lit = try #require(try await fire(stage, shot: 3, PhotoSettings(flash: .on)).report)
            #expect(lit.timing.settings == nil)
            let means = (try await luma(stage, dark), try await luma(stage, lit))
            #expect(means.0 + 30 < means.1, "\(means)")
        }
    }

    @Test("A plain picture right after a bracket says that the camera is being set, until that must be over")
    func afterwards() async throws {
        let stage = try stage(delay: 5, statesValues: false)
        try await stage.run {
            await stage.start()
            _ = try #require(try await fire(stage, bracket, for: .milliseconds(2200)).report)
            let early = try #require(
                try await fire(stage, in: .milliseconds(100), shot: 2, PhotoSettings(), for: .milliseconds(300)).report)
            #expect(early.timing.settings == .changing(from: nil, to: nil) && early.timing.exposureNanoseconds == nil)
            await stage.pass(Stage.period * FrameDelay.limit)
            let late = try #require(
                try await fire(stage, in: .milliseconds(100), shot: 3, PhotoSettings(), for: .milliseconds(300)).report)
            #expect(late.timing.settings == nil && late.timing.exposureNanoseconds == 8_000_000)
            #expect(try await statesExposure(stage, late))
        }
    }
}
