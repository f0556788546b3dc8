import CameraConformance
import CameraKit
import CaptureSystem
import Testing
import VirtualDevices

/// Each check is a test of its own; its name says what would be wrong.
@Suite("As any camera: virtual")
struct VirtualConformanceTests {
    @Test("Virtual", .timeLimit(.minutes(1)), arguments: ConformanceCheck.allCases)
    func virtual(check: ConformanceCheck) async throws {
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 100),
            clock: SystemTimeSource(), makeCamera: { VirtualCamera(name: "virtual") },
            makeOther: { VirtualCamera(name: "other") })
        try await conformance.run(check)
    }
}
