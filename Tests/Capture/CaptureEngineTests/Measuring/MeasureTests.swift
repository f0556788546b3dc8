import CameraKit
import CameraSettings
import CaptureModel
import CaptureTestSupport
import Glibc
import Testing
import VirtualDevices

@testable import CaptureEngine

/// Measurements of a virtual camera's pictures on the test's clock.
@Suite("Measuring pictures", .timeLimit(.minutes(10))) struct MeasureTests {
    private func stage(_ change: (inout VirtualLook) -> Void = { _ in }) throws -> Stage {
        try Stage { configuration in
            (configuration.width, configuration.height) = (640, 360)
            var look = VirtualLook()
            change(&look)
            configuration.look = look
        }
    }

    private func measure(
        _ stage: Stage, _ request: MeasureRequest = MeasureRequest(frames: 12)
    ) async throws -> PictureMeasurement {
        let done = Observed(false)
        let measuring = Task {
            defer { done.change { $0 = true } }
            return try await stage.session.measure(request)
        }
        // The meter leaves out frames that come while it is busy, so it is not known how many there must be.
        while !done.value { await stage.advance(frames: 1) }
        return try await measuring.value
    }

    @Test func `Measures the gray card in the middle in proportion to light, and names the frames`() async throws {
        let stage = try stage { $0.gainDecibels = 6.0206 }
        try await stage.run {
            await stage.start()
            let measured = try await measure(stage, MeasureRequest(frames: 12, skip: 5, wantsPicture: true))
            #expect(measured.frames == 12 && measured.linearization == .assumedSRGB)
            for value in measured.linear.channels { #expect(abs(value / 0.36 - 1) < 0.015) }
            #expect(measured.last.sequence >= measured.first.sequence + 11 && measured.first.sequence >= 5)
            #expect(measured.last.midExposure.time > measured.first.midExposure.time)
            #expect(measured.spread < 0.01 && abs(measured.drift) < 0.01)
            #expect(measured.clippedHigh == 0 && measured.clippedLow == 0)
            #expect(measured.picture?.prefix(2) == [0xFF, 0xD8])
        }
    }

    @Test func `A region is measured alone, and pixels without light or with too much are counted`() async throws {
        let stage = try stage { $0.gainDecibels = 16 }
        try await stage.run {
            await stage.start()
            let left = try #require(PictureRegion(x: 0.02, y: 0.8, width: 0.2, height: 0.15))
            let measured = try await measure(stage, MeasureRequest(region: left, frames: 2))
            #expect(measured.linear.red > measured.linear.blue * 1.3, "the background is warm on the left")
            #expect(measured.clippedHigh > 0.9)
        }
    }

    @Test func `Flickering light is known by the spread, and averages out`() async throws {
        let stage = try stage { ($0.flickerHertz, $0.flickerDepth) = (26, 0.1) }
        try await stage.run {
            await stage.start()
            let measured = try await measure(stage, MeasureRequest(frames: 50))
            #expect(measured.spread > 0.1)
            #expect(abs(measured.linear.green / 0.18 - 1) < 0.03)
        }
    }

    @Test func `A camera that adjusts itself drifts`() async throws {
        let stage = try stage { ($0.gainDecibels, $0.adaptationFrames) = (6, 20) }
        try await stage.run {
            await stage.start()
            _ = try await stage.session.setControls(["auto_exposure": 0])
            #expect(try await measure(stage, MeasureRequest(frames: 20)).drift < -0.1)
            #expect(abs(try await measure(stage, MeasureRequest(frames: 20, skip: 60)).drift) < 0.02)
        }
    }

    @Test func `A measured tone curve is used instead of that of sRGB`() async throws {
        // The light that sRGB has for 0 to 255, to the power of 2.
        let points = stride(from: 0, through: 255, by: 5).map { value in
            (value: value, light: pow(ToneCurve.sRGB[UInt8(value)], 2))
        }
        var known = CameraPeculiarities(match: CameraMatch(make: "Caprig", model: "Virtual camera"))
        known.toneCurve = ToneCurve(points)
        let stage = try Stage(cameras: CameraCatalogue([known])) { configuration in
            (configuration.width, configuration.height) = (640, 360)
            var look = VirtualLook()
            look.toneExponent = 0.5
            configuration.look = look
        }
        try await stage.run {
            await stage.start()
            let measured = try await measure(stage, MeasureRequest(frames: 2))
            #expect(measured.linearization == .measured)
            for value in measured.linear.channels { #expect(abs(value / 0.18 - 1) < 0.02) }
        }
    }

    @Test func `A mosaic is measured in its samples, before white balance and tone curve`() async throws {
        let stage = try Stage(pixelFormat: .rggb10) { configuration in
            (configuration.width, configuration.height) = (640, 360)
            var look = VirtualLook()
            (look.toneExponent, look.red) = (1.4, 1.25)
            configuration.look = look
        }
        try await stage.run {
            await stage.start()
            let measured = try await measure(stage, MeasureRequest(frames: 2))
            #expect(measured.linearization == .raw)
            #expect(abs(measured.linear.green / 0.18 - 1) < 0.02 && abs(measured.linear.red / 0.225 - 1) < 0.02)
        }
    }

    @Test func `A camera that does not stream, stops, or is measured too often says so`() async throws {
        let stage = try stage()
        try await stage.run {
            let early = await #expect(throws: RigProblem.self) {
                try await stage.session.measure(MeasureRequest())
            }
            #expect(early?.code == .notRunning)
            await stage.start()
            let measuring = (0..<MeasureOutput.limit).map { _ in
                Task { try await stage.session.measure(MeasureRequest(frames: 64)) }
            }
            await stage.pass(.milliseconds(200))
            let many = await #expect(throws: RigProblem.self) { try await stage.session.measure(MeasureRequest()) }
            #expect(many?.code == .noMemory)
            await stage.session.stopRunning()
            for task in measuring {
                let problem = await #expect(throws: RigProblem.self) { try await task.value }
                #expect(problem?.code == .notRunning)
            }
        }
    }
}
