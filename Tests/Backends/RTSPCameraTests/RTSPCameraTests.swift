import CameraConformance
import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import ImageMetadata
import PosixSupport
import RigConfiguration
import SystemClock
import Testing

@testable import RTSPCamera

/// Each check is a separate test, whose name says what would be wrong.
@Suite("As any camera: rtsp", .serialized, .timeLimit(.minutes(10)))
struct RTSPConformanceTests {
    private static let camera = Result { try NetworkCamera(["--keys", "5"]) }

    @Test("A network camera that sends H.264", arguments: ConformanceCheck.allCases)
    func check(_ check: ConformanceCheck) async throws {
        let configuration = try Self.camera.get().configuration()
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .yu12), clock: SystemTimeSource(),
            makeCamera: { RTSPCamera(configuration) }, makeOther: { RTSPCamera(configuration) },
            truth: { try NetworkCamera.truth($0) })
        try await conformance.run(check)
    }

    private static let frames: [ConformanceCheck] = [.agreedFormat, .wholeFrames, .completePictures, .orderedFrames]

    @Test("A network camera that sends MJPEG", arguments: TestExtent.some(2, of: frames))
    func jpeg(_ check: ConformanceCheck) async throws {
        let camera = try NetworkCamera(["--codec", "mjpeg"])
        let configuration = try camera.configuration()
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg), clock: SystemTimeSource(),
            makeCamera: { RTSPCamera(configuration) })
        try await conformance.run(check)
    }

    @Test("A network camera that sends H.265 in datagrams", arguments: TestExtent.some(2, of: [.trueInstants] + frames))
    func datagrams(_ check: ConformanceCheck) async throws {
        let camera = try NetworkCamera(["--codec", "h265", "--keys", "5"])
        let configuration = try camera.configuration(transport: .udp)
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .yu12), clock: SystemTimeSource(),
            makeCamera: { RTSPCamera(configuration) }, truth: { try NetworkCamera.truth($0) })
        try await conformance.run(check)
    }
}

@Suite("RTSP camera: the camera", .timeLimit(.minutes(10)))
struct RTSPCameraTests {
    private let clock = SystemTimeSource()
    private let place: TemporaryFolder

    init() throws {
        place = try TemporaryFolder()
    }

    private func credentials(_ line: String, mode: mode_t = 0o600) throws -> String {
        let path = try place.write(Array(line.utf8), as: "login")
        #expect(unsafe chmod(path, mode) == 0)
        return path
    }

    @Test("Passes JPEG pictures on as the camera sends them")
    func jpeg() async throws {
        let camera = try NetworkCamera(["--codec", "mjpeg"])
        let (frames, stream) = try await RTSPCamera(camera.configuration()).frames(3, clock: clock)
        #expect(stream.format.pixelFormat == .mjpeg && stream.format.width == 320 && stream.format.height == 240)
        for frame in frames {
            let bytes = frame.lease.bytes
            let structure = try JPEGStructure(parsing: bytes)
            #expect(structure.damage == nil)
            #expect(try JPEGStructure(parsing: structure.completed(bytes.span)).isComplete)
        }
        await stream.stop()
    }

    @Test("Decodes the range of the samples that the camera states")
    func range() async throws {
        let camera = try NetworkCamera()
        let (_, stream) = try await RTSPCamera(camera.configuration()).frames(1, clock: clock)
        #expect(stream.sampleRange == .limited)
        await stream.stop()
    }

    @Test("Spaces pictures as the camera has exposed them, once it tells its time, however they arrive")
    func spacing() async throws {
        let server = try NetworkCamera(["--keys", "5", "--jitter", "60"])
        let stream = try await RTSPCamera(server.configuration()).start(FormatRequest(), clock: clock)
        var late: [Duration] = []
        // The latency of the soonest picture is in all of them; it may fall, when there is a sooner one.
        for await frame in stream.frames {
            late = (late + [frame.midExposure - (try NetworkCamera.truth(frame))]).suffix(40)
            let rises = zip(late, late.dropFirst()).filter { $1 - $0 > .milliseconds(1) }
            if late.count == 40, rises.isEmpty { break }
        }
        await stream.stop()
        #expect(late.allSatisfy { $0 >= .zero }, "\(late)")
        #expect(stream.failure == nil)
    }

    @Test("Sends user and password of a private file, and says nothing of them when the camera refuses")
    func authentication() async throws {
        let camera = try NetworkCamera(["--user", "an na", "--password", "se/c:r@et"])
        let right = try credentials("an na:se/c:r@et\n")
        #expect(try await RTSPCamera(camera.configuration(credentials: right)).refusal(clock: clock) == nil)
        let wrong = try credentials("an na:guess%41word\n")
        let refused = try await RTSPCamera(camera.configuration(credentials: wrong)).refusal(clock: clock)
        #expect(refused?.code == .denied)
        #expect(refused?.reason.contains("401") == true && refused?.reason.contains(wrong) == true)
        #expect(refused?.description.contains("guess") == false && refused?.description.contains("an") == true)
        let none = try await RTSPCamera(camera.configuration()).refusal(clock: clock)
        #expect(none?.code == .denied && none?.reason.contains("`credentials`") == true)
    }

    @Test("Refuses credentials that others can read, or that are missing, and says what to do")
    func credentialFiles() async throws {
        var configuration = RTSPCameraConfiguration(url: try RTSPAddress("rtsp://127.0.0.1:1/stream"))
        configuration.credentials = try credentials("anna:secret", mode: 0o644)
        let camera = RTSPCamera(configuration)
        #expect(await camera.authorization() == .denied)
        #expect(await camera.authorizationRemedy()?.contains("chmod 600") == true)
        #expect(await camera.refusal(clock: clock)?.code == .denied)
        configuration.credentials = place.path + "/missing"
        #expect(await RTSPCamera(configuration).authorization() == .denied)
        configuration.credentials = try credentials("anna:\(String(repeating: "x", count: 200))")
        #expect(await RTSPCamera(configuration).refusal(clock: clock)?.reason.contains("127 bytes") == true)
        configuration.credentials = nil
        #expect(await RTSPCamera(configuration).authorization() == .authorized)
    }

    @Test("Names a camera that is absent, and a path that it does not have")
    func absent() async throws {
        let camera = try NetworkCamera()
        var configuration = try camera.configuration()
        configuration.url = try RTSPAddress(camera.url + "/elsewhere")
        let missing = await RTSPCamera(configuration).refusal(clock: clock)
        #expect(missing?.code == .failed && missing?.reason.contains("correct the path") == true)
        camera.signal(SIGKILL)
        while let error = await RTSPCamera(try camera.configuration()).refusal(clock: clock), error.code != .absent {
            try Task.checkCancellation()
        }
    }
}
