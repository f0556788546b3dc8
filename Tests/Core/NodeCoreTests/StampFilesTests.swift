import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import PosixSupport
import RigConfiguration
import Spool
import SystemClock
import Testing
import VirtualDevices

@testable import NodeCore

/// A node of one virtual camera whose stamps may be late.
private final class StampBench: Sendable {
    let node: CaptureNode
    private let spoolFolder: TemporaryFolder
    private let running: Task<Void, Never>

    static let device = "north/cam"
    static let correction = StampCorrection(
        latencyOffset: .milliseconds(-57), uncertainty: .microseconds(700), measuredExposure: .milliseconds(8),
        measuredFormat: "MJPG 160x120 30 fps", measuredOn: CalendarDay("2026-11-30"),
        sharedError: MeasurementID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f").map {
            SharedError($0, bound: .microseconds(600))
        })

    init(_ folder: TemporaryFolder, late: Bool = true, configured: StampCorrection = StampCorrection()) async throws {
        spoolFolder = try TemporaryFolder()
        let spool = try Spool(
            folder: spoolFolder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        let device = try Self.configuration(late: late, stamps: configured)
        let files = try Self.files(folder, [device])
        let (served, isServed) = AsyncStream.makeStream(of: Void.self)
        let session = try CaptureSession(
            SessionConfiguration(
                input: CaptureDeviceInput(
                    device: CaptureDevice(
                        description: DeviceDescription(id: try DeviceID(Self.device), driver: "virtual"),
                        camera: try files.camera(device)))),
            services: SessionServices(
                clock: SystemTimeSource(), rigClock: FixedRigClock(), spool: spool,
                executor: try ThreadExecutor(name: "cam")
            ) { event in
                if case .conditionChanged(_, let condition) = event, condition.isUsable { isServed.yield() }
            })
        node = CaptureNode(
            name: try NodeName("north"), sessions: [session], spool: spool, rigClock: FixedRigClock(),
            stampFiles: files)
        running = Task { await session.run() }
        var waiting = served.makeAsyncIterator()
        await waiting.next()
    }

    func end() async {
        running.cancel()
        await running.value
    }

    func keep(_ correction: StampCorrection = StampBench.correction) async throws -> Result<SessionResult, RigProblem> {
        let request = DeviceRequest(device: try DeviceID(Self.device), command: .keepStamps(correction))
        return await node.carryOut(request).flatMap { reply in
            guard case .session(let result) = reply else {
                return .failure(RigProblem(.protocolViolation, "answered with \(reply)"))
            }
            return .success(result)
        }
    }

    func stamps() async -> CameraStamps? { await node.statuses().first?.condition.stamps }

    static func configuration(
        late: Bool = true, hardware: String? = nil, stamps: StampCorrection = StampCorrection()
    ) throws -> DeviceConfiguration {
        var camera = VirtualCameraConfiguration()
        (camera.width, camera.height) = (160, 120)
        camera.stampDelayMilliseconds = late ? 57 : nil
        return DeviceConfiguration(
            name: try DeviceName("cam"), purpose: "test",
            source: DeviceSource(NamedSource(camera: camera, hardware: hardware)), stamps: stamps)
    }

    static func files(_ folder: TemporaryFolder, _ devices: [DeviceConfiguration]) throws -> StampFiles {
        try StampFiles(path: folder.path + "/stamps", devices: devices, executor: ThreadExecutor(name: "stamps"))
    }
}

/// A virtual camera that stands for hardware.
private struct NamedSource: CameraSource {
    static let key = "named"

    var camera: VirtualCameraConfiguration
    var hardware: String?

    init(camera: VirtualCameraConfiguration, hardware: String?) {
        (self.camera, self.hardware) = (camera, hardware)
    }

    init?(_ value: YAMLValue) { nil }

    var written: WrittenValue { camera.written }

    func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        camera.makeCamera(name: name, stamps: stamps)
    }
}

@Suite(.timeLimit(.minutes(10))) struct StampFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("A running camera gets a correction, and has it after the next start too") func kept() async throws {
        let bench = try await StampBench(folder)
        #expect(await bench.stamps()?.correction == StampCorrection())
        let result = try await bench.keep().get()
        #expect(result.condition.state == .running && result.condition.stamps?.correction == StampBench.correction)
        #expect(result.changes == ["kept in \(folder.path)/stamps/cam.json"])
        await bench.end()
        let again = try await StampBench(folder)
        #expect(await again.stamps()?.correction == StampBench.correction)
        // The newest one counts.
        let newer = StampCorrection(latencyOffset: .milliseconds(-3), uncertainty: .milliseconds(1))
        for _ in 0..<2 {
            let result = try await again.keep(newer).get()
            #expect(result.condition.state == .running && result.condition.stamps?.correction == newer)
        }
        await again.end()
        let device = try StampBench.configuration()
        #expect(try StampBench.files(folder, [device]).camera(device).stamps?.correction == newer)
    }

    @Test("A configuration that states a correction is right, and the request names its keys")
    func stated() async throws {
        let bench = try await StampBench(folder)
        _ = try await bench.keep().get()
        await bench.end()
        let stated = StampCorrection(latencyOffset: .milliseconds(-5), uncertainty: .milliseconds(2))
        let other = try await StampBench(folder, configured: stated)
        #expect(await other.stamps()?.correction == stated)
        guard case .failure(let problem) = try await other.keep() else {
            Issue.record("it was kept")
            return
        }
        #expect(problem.code == .conflict && problem.message.contains("latencyOffset"))
        #expect(await other.stamps()?.correction == stated)
        await other.end()
    }

    @Test("A camera with exact stamps has no correction") func exact() async throws {
        let bench = try await StampBench(folder, late: false)
        guard case .failure(let problem) = try await bench.keep() else {
            Issue.record("it was kept")
            return
        }
        #expect(problem.code == .unsupportedSettings && problem.message.contains("need no correction"))
        #expect(try Folder(opening: folder.path + "/stamps").names() == [])
        await bench.end()
    }

    @Test("The correction of a camera's clock is kept where earlier versions do not read it, instead of the other")
    func keptOfTheClock() async throws {
        let device = try StampBench.configuration(hardware: "SN-1")
        var correction = StampBench.correction
        correction.measuredStamps = .cameraClock
        let files = try StampBench.files(folder, [device])
        let stamps = folder.path + "/stamps"
        _ = try await files.keep(StampBench.correction, of: device.name)
        #expect(try Folder(opening: stamps).names() == ["cam.json"])
        #expect(try await files.keep(correction, of: device.name) == stamps + "/cam.cameraClock.json")
        #expect(try Folder(opening: stamps).names() == ["cam.cameraClock.json"])
        #expect(try StampBench.files(folder, [device]).camera(device).stamps?.correction == correction)
        _ = try await files.keep(StampBench.correction, of: device.name)
        #expect(try Folder(opening: stamps).names() == ["cam.json"])
        #expect(try StampBench.files(folder, [device]).camera(device).stamps?.correction == StampBench.correction)
    }

    @Test("A correction that cannot take the place of the other one is not kept") func notReplaced() async throws {
        let device = try StampBench.configuration(hardware: "SN-1")
        let files = try StampBench.files(folder, [device])
        let stamps = try Folder(opening: folder.path + "/stamps")
        // A folder has the name of the other file.
        _ = try stamps.makeFolder("cam.cameraClock.json")
        let problem = await #expect(throws: RigProblem.self) {
            try await files.keep(StampBench.correction, of: device.name)
        }
        #expect(problem?.code == .inputOutput && problem?.message.contains("cam.cameraClock.json") == true)
        #expect(try stamps.names() == ["cam.cameraClock.json"])
    }

    @Test("A correction that was measured of other stamps than the camera has is refused")
    func otherStamps() async throws {
        let bench = try await StampBench(folder)
        var correction = StampBench.correction
        correction.measuredStamps = .cameraClock
        guard case .failure(let problem) = try await bench.keep(correction) else {
            Issue.record("it was kept")
            return
        }
        #expect(problem.code == .conflict && problem.message.contains("measure again"))
        #expect(await bench.stamps()?.correction == StampCorrection())
        #expect(try Folder(opening: folder.path + "/stamps").names() == [])
        await bench.end()
    }

    @Test("What cannot be kept is not applied") func unwritable() async throws {
        let bench = try await StampBench(folder)
        // A folder has the name of the file.
        _ = try Folder(opening: folder.path + "/stamps").makeFolder("cam.json")
        guard case .failure(let problem) = try await bench.keep() else {
            Issue.record("it was kept")
            return
        }
        #expect(problem.code == .inputOutput && problem.message.contains("stamps/cam.json"))
        #expect(await bench.stamps()?.correction == StampCorrection())
        await bench.end()
    }

    @Test("Other hardware of the same name, and a damaged file, count as not measured")
    func otherHardware() async throws {
        let device = try StampBench.configuration(hardware: "SN-1")
        let files = try StampBench.files(folder, [device])
        _ = try await files.keep(StampBench.correction, of: device.name)
        #expect(try StampBench.files(folder, [device]).camera(device).stamps?.correction == StampBench.correction)
        let name = "cam.json"
        let stamps = try Folder(opening: folder.path + "/stamps")
        let text = String(decoding: try stamps.read(name, limit: 4096), as: UTF8.self)
        for changed in [
            text.replacing("57000000", with: "x"), "", "{}", text.replacing("-57000000", with: "-57e30"),
            text.replacing("-57000000", with: "-1000000001"), text.replacing(": 700000", with: ": -1"),
            text.replacing(": 600000", with: ": 700001"), text.replacing(": 600000", with: ": -1"),
        ] {
            #expect(changed != text)
            try stamps.publish([Array(changed.utf8)], as: name)
            let read = try StampBench.files(folder, [device]).camera(device)
            #expect(read.stamps?.correction == StampCorrection(), "\(changed)")
        }
        try stamps.publish([Array(text.utf8)], as: name)
        let other = try StampBench.configuration(hardware: "SN-2")
        #expect(try StampBench.files(folder, [other]).camera(other).stamps?.correction == StampCorrection())
    }
}
