import CameraConformance
import CameraKit
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import FileCamera
import Testing

/// Each check is a test of its own; its name says what would be wrong.
@Suite("As any camera: file")
struct FileConformanceTests {
    @Test("Folder of images", .timeLimit(.minutes(1)), arguments: ConformanceCheck.allCases)
    func folder(check: ConformanceCheck) async throws {
        let recording = try RecordedImages(count: 7)
        try await conformance(playing: try recording.folder()).run(check)
    }

    @Test("File of images", .timeLimit(.minutes(1)), arguments: ConformanceCheck.allCases)
    func file(check: ConformanceCheck) async throws {
        let recording = try RecordedImages(count: 7)
        try await conformance(playing: try recording.file()).run(check)
    }

    private func conformance(playing path: String) -> CameraConformance {
        CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, framesPerSecond: 100), clock: SystemTimeSource(),
            makeCamera: { FileCamera(name: "file", configuration: FileCameraConfiguration(path: path)) },
            makeOther: { FileCamera(name: "other", configuration: FileCameraConfiguration(path: path)) })
    }
}
