import CameraConformance
import CameraKit
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Testing
import VirtualDevices

@Suite("A conformance check passes whatever the camera does")
struct FlawTests {
    @Test("A camera with a flaw passes", .timeLimit(.minutes(1)), arguments: Flaw.allCases)
    func found(flaw: Flaw) async throws {
        let stops = Observed(0)
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 100),
            clock: SystemTimeSource(), makeCamera: { FlawedCamera(flaw, stops: stops) },
            makeOther: { FlawedCamera(flaw, stops: stops) })
        let failure = await #expect(throws: ConformanceFailure.self) { try await conformance.run(flaw.check) }
        #expect(failure?.check == flaw.check)
    }

    @Test("A check that no flaw breaks")
    func everyCheckCanFail() {
        #expect(Set(Flaw.allCases.map(\.check)) == Set(ConformanceCheck.allCases))
    }
}
