import CaptureDevices
import CaptureModel
import CaptureSystem
import PosixSupport
import Testing

@Suite("Virtual camera, as any camera")
struct VirtualConformanceTests {
    @Test(.timeLimit(.minutes(1)), arguments: CameraConformance.Check.allCases)
    func wouldBeWrong(check: CameraConformance.Check) async throws {
        let conformance = CameraConformance(
            makeCamera: { VirtualCamera(name: "virtual") },
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 100),
            clock: SystemTimeSource())
        try await conformance.run(check)
    }
}
