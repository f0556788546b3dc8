import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Logging
import PosixSupport
import Spool
import Testing

@testable import NodeCore

/// A backend whose arrivals a test makes.
private struct AnnouncingBackend: CaptureBackend {
    let name: String
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ name: String) {
        self.name = name
        (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    func arrivals() throws(PosixError) -> AsyncStream<Void>? { stream }

    func announce() { continuation.yield() }
}

/// A camera that is not there, and counts how often it was looked for.
private final class AbsentCamera: Camera {
    let starts = Observed(0)
    /// Whether its session waits for its next attempt.
    let isMissed = Observed(false)

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        starts.change { $0 += 1 }
        throw CameraError(.absent, device: "cam", operation: "open", reason: "it is not there")
    }

    func authorization() async -> AuthorizationStatus { .notDetermined }
    func capabilities() async throws(CameraError) -> DeviceCapabilities { DeviceCapabilities() }
}

@Suite("Hot plug", .timeLimit(.minutes(10)))
struct HotPlugTests {
    private let folder: TemporaryFolder
    private let spool: Spool
    /// It stands still, so that no attempt at an interval comes.
    private let clock = ManualTimeSource()

    init() throws {
        folder = try TemporaryFolder()
        spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 20, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
    }

    private func session(_ name: String, driver: String, _ camera: AbsentCamera) throws -> CaptureSession {
        let device = CaptureDevice(
            description: DeviceDescription(id: try DeviceID("north/\(name)"), driver: driver), camera: camera)
        let services = SessionServices(
            clock: clock, rigClock: FixedRigClock(), spool: spool, executor: try ThreadExecutor(name: name)
        ) { event in
            guard case .conditionChanged(_, let condition) = event, condition.state == .absent else { return }
            camera.isMissed.change { $0 = true }
        }
        return try CaptureSession(
            SessionConfiguration(input: CaptureDeviceInput(device: device)), services: services)
    }

    @Test("Tries the cameras of the backend that announces a device at once, and no others")
    func arrival() async throws {
        let (plugged, other) = (AbsentCamera(), AbsentCamera())
        let sessions = [
            try session("plugged", driver: "loud", plugged),
            try session("other", driver: "silent", other),
        ]
        let (loud, silent) = (AnnouncingBackend("loud"), AnnouncingBackend("silent"))
        let serving = Task {
            await withDiscardingTaskGroup { group in
                for session in sessions { group.addTask { await session.run() } }
                group.addTask {
                    await HotPlug(
                        backends: [loud, silent, AnnouncingBackend("unused")], sessions: sessions, microphones: [],
                        log: Logger(label: "test")
                    ).run()
                }
            }
        }
        await plugged.isMissed.wait { $0 }
        await other.isMissed.wait { $0 }
        loud.announce()
        await plugged.starts.wait { $0 == 2 }
        #expect(other.starts.value == 1)
        silent.announce()
        await other.starts.wait { $0 == 2 }
        #expect(plugged.starts.value == 2)
        serving.cancel()
        await serving.value
    }
}
