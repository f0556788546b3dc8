import CameraKit
import CaptureModel
import CaptureTestSupport
import ChildPrograms
import Glibc
import PosixSupport
import ProgramCamera
import SystemClock
import Testing

@testable import AravisCamera

/// The fake camera of Aravis itself, in a separate network namespace: its port is always 3956.
@Suite(
    "aravis camera: the fake camera of Aravis", .timeLimit(.minutes(10)),
    .enabled(if: AravisFake.isPossible, "unshare cannot make a network namespace here"))
struct AravisFakeTests {
    @Test(
        "Is found by its serial number, and delivers its formats",
        arguments: [PixelFormat.grey, .y12, .rgb24, .rggb8, .bggr8, .grbg8, .gbrg8])
    func formats(_ format: PixelFormat) async throws {
        let fake = try AravisFake()
        let camera = ProgramCamera(name: "front", program: fake.configuration.program)
        let request = FormatRequest(pixelFormat: format, width: 128, height: 64, framesPerSecond: 20)
        let stream = try await camera.start(request, clock: SystemTimeSource())
        #expect(stream.format.description == "\(format.rawValue) 128x64 20 fps")
        #expect(stream.hardware.make == "Aravis" && stream.hardware.serial == "GV01")
        var frames: [CameraFrame] = []
        for await frame in stream.frames {
            frames.append(frame)
            if frames.count == 4 { break }
        }
        await stream.stop()
        #expect(frames.allSatisfy { $0.lease.byteCount == format.byteCount(width: 128, height: 64) })
        // Its picture is a ramp that moves.
        #expect(Set(frames.map(\.lease.bytes)).count == frames.count)
        // Its clock cannot be read.
        #expect(frames.allSatisfy { $0.exposure == .milliseconds(10) && $0.midExposure <= $0.dequeued })
    }

    @Test("Has the controls that it has, and refuses a serial number that it does not have")
    func controls() async throws {
        let fake = try AravisFake()
        let camera = ProgramCamera(name: "front", program: fake.configuration.program)
        let stream = try await camera.start(FormatRequest(width: 128, height: 64), clock: SystemTimeSource())
        let controls = try await stream.controls()
        #expect(controls.map(\.name) == ["exposure_time_absolute", "gain_automatic", "gain"])
        #expect(try await stream.setControls(["gain": 3]) == ["gain": 3])
        await stream.stop()
        var other = fake.configuration
        other.serial = "GV02"
        let missing = ProgramCamera(name: "front", program: other.program)
        let refused = await #expect(throws: CameraError.self) {
            _ = try await missing.start(FormatRequest(), clock: SystemTimeSource())
        }
        #expect(refused?.code == .absent && refused?.reason.contains("it finds GV01") == true)
    }
}

/// A camera in a network namespace, with the helper that drives it.
private struct AravisFake {
    let configuration: AravisCameraConfiguration
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let program = "/usr/bin/python3 '\(GEVCamera.script("aravis_camera.py"))' GV01 '\(try Helper.path.get())'"
        let script = """
            #!/bin/sh
            exec unshare --net --map-root-user sh -c "ip link set lo up && exec \(program) \\"\\$@\\"" sh "$@"

            """
        var configuration = AravisCameraConfiguration(serial: "GV01")
        configuration.helper = try folder.write(Array(script.utf8), as: "helper")
        configuration.startMilliseconds = 600_000
        _ = unsafe chmod(configuration.helper, 0o755)
        self.configuration = configuration
    }

    /// Expected of every machine that checks changes.
    static let isPossible: Bool = {
        if unsafe getenv("CI").map({ unsafe String(cString: $0) }) == "true" { return true }
        let program = try? ChildProgram(["unshare", "--net", "--map-root-user", "true"], outputs: [.standardOutput])
        return program?.ended(within: .seconds(60)) == .exited(status: 0)
    }()
}
