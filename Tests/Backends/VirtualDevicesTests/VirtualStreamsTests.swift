import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing
import TimeCode

@testable import VirtualDevices

@Suite("Virtual camera: streams", .timeLimit(.minutes(1)))
struct VirtualStreamsTests {
    private func camera(_ faults: [VirtualFault] = []) -> VirtualCamera {
        VirtualBench.camera { configuration in
            configuration.preview = VirtualPreview(width: 144, height: 88)
            configuration.faults = faults
        }
    }

    @Test("Both streams show the same exposures, each in its own size")
    func sameExposures() async throws {
        let clock = ManualTimeSource()
        let camera = camera()
        let main = try await camera.start(FormatRequest(), clock: clock)
        let preview = try await camera.start(.preview, FormatRequest(), clock: clock)
        #expect(preview.format.width == 144 && preview.format.height == 88)
        #expect(main.format.width == 160 && main.format.frameInterval == preview.format.frameInterval)
        var (ofMain, ofPreview) = (main.frames.makeAsyncIterator(), preview.frames.makeAsyncIterator())
        for _ in 0..<3 {
            await clock.sleepers(atLeast: 2)
            // Each step wakes one of the two, which sleep until the same instant.
            await clock.step()
            await clock.step()
            let frame = try #require(await ofMain.next())
            let small = try #require(await ofPreview.next())
            #expect(frame.midExposure == small.midExposure)
            #expect(try VirtualBench.code(frame).realtimeNanoseconds == VirtualBench.code(small).realtimeNanoseconds)
        }
        await preview.stop()
        await main.stop()
    }

    @Test("Without a preview only the main stream is offered, and another is refused")
    func withoutPreview() async throws {
        let camera = VirtualBench.camera()
        #expect(try await camera.streams().map(\.name) == [.main])
        let error = await #expect(throws: CameraError.self) {
            try await camera.start(.preview, FormatRequest(), clock: ManualTimeSource())
        }
        #expect(error?.code == .unsupportedFormat && error?.reason.contains("'main'") == true)
    }

    @Test("A preview ends with the device, and leaves the faults of frames to the main stream")
    func faults() async throws {
        let clock = ManualTimeSource()
        let camera = camera([VirtualFault(.dropped, fromFrame: 1, count: 1)])
        let preview = try await camera.start(.preview, FormatRequest(), clock: clock)
        var frames = preview.frames.makeAsyncIterator()
        for number in 0..<3 {
            await clock.sleepers(atLeast: 1)
            await clock.step()
            #expect(await frames.next()?.sequence == UInt64(number))
        }
        #expect(camera.faults.pending.count == 1)
        try camera.faults.inject(VirtualFault(.unplugged))
        await clock.sleepers(atLeast: 1)
        await clock.step()
        #expect(await frames.next() == nil)
        #expect(preview.failure?.code == .absent)
    }
}
