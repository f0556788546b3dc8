import CameraConformance
import CameraKit
import CaptureModel
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

    @Test("Virtual, of two streams", .timeLimit(.minutes(1)), arguments: ConformanceCheck.allCases)
    func preview(check: ConformanceCheck) async throws {
        var configuration = VirtualCameraConfiguration()
        configuration.preview = VirtualPreview(width: 192, height: 144)
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 100),
            clock: SystemTimeSource(),
            makeCamera: { [configuration] in VirtualCamera(name: "virtual", configuration: configuration) },
            makeOther: { [configuration] in VirtualCamera(name: "other", configuration: configuration) })
        try await conformance.run(check)
    }
}
