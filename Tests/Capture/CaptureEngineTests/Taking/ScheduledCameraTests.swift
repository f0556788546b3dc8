import CameraKit
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Spool
import Testing

@testable import CaptureEngine

/// A camera that exposes at given instants, 3 µs late. The test says what it refuses.
private final class ScheduledCamera: Camera {
    static let format = VideoFormat(pixelFormat: .grey, width: 160, height: 120, frameInterval: .milliseconds(40))

    let exposures = ScriptedExposures()

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        ScheduledStream(exposures: exposures)
    }

    func authorization() async -> AuthorizationStatus { .authorized }

    func capabilities() async throws(CameraError) -> DeviceCapabilities { DeviceCapabilities(only: Self.format) }
}

private final class ScriptedExposures: ScheduledExposures {
    struct Log {
        var armed: [LocalTime] = []
        var disarmed: [UInt64] = []
        /// Why it does not expose, and why it has no frame.
        var refusal: ExposureRefusal?
        var loss: ExposureRefusal?
        /// The bytes of its frames.
        var byteCount = 160 * 120
    }

    static let lateness = Duration.microseconds(3)

    let lag = Duration.milliseconds(200)
    let log = Locked(Log())

    func arm(
        at instant: LocalTime, following clock: DisciplinedClock<LocalTimeBase>?
    ) async throws(ExposureRefusal) -> ArmedExposure {
        let answer: Result<ArmedExposure, ExposureRefusal> = log.withLock { log in
            if let refusal = log.refusal { return .failure(refusal) }
            log.armed.append(instant)
            return .success(ArmedExposure(number: UInt64(log.armed.count)))
        }
        return try answer.get()
    }

    func frame(of exposure: ArmedExposure) async throws(ExposureRefusal) -> CameraFrame {
        let log = log.withLock { $0 }
        if let loss = log.loss { throw loss }
        let instant = log.armed[Int(exposure.number) - 1]
        return CameraFrame(
            sequence: exposure.number, midExposure: instant + Self.lateness, stampBound: .microseconds(2),
            exposure: .milliseconds(4), dequeued: instant,
            payload: .planes(FrameLease([UInt8](repeating: 90, count: log.byteCount))))
    }

    func disarm(_ exposure: ArmedExposure) { log.withLock { $0.disarmed.append(exposure.number) } }
}

private final class ScheduledStream: CameraStream {
    let exposures: (any ScheduledExposures)?
    let frames: AsyncStream<CameraFrame>
    private let end: AsyncStream<CameraFrame>.Continuation

    init(exposures: ScriptedExposures) {
        self.exposures = exposures
        (frames, end) = AsyncStream.makeStream(of: CameraFrame.self)
    }

    var format: VideoFormat { ScheduledCamera.format }
    var hardware: CameraHardware { CameraHardware() }
    var losses: FrameCounters { FrameCounters() }
    var failure: CameraError? { nil }

    func stop() async { end.finish() }
}

/// A session of such a camera, with a spool, on a clock that stands still.
private final class ScheduledStage: Sendable {
    let camera = ScheduledCamera()
    let spool: Spool
    let session: CaptureSession
    let clock = ManualTimeSource()
    private let recorder = SessionRecorder()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        spool = try Spool(
            folder: folder.path, limitBytes: 1 << 30, reserveFreeBytes: 0, executor: ThreadExecutor(name: "spool"))
        let input = CaptureDeviceInput(
            device: CaptureDevice(
                description: DeviceDescription(id: try DeviceID("north/cam"), driver: "aravis"), camera: camera))
        let services = SessionServices(
            clock: clock, rigClock: AffineRigClock(), spool: spool, executor: try ThreadExecutor(name: "cam")
        ) { [recorder] in recorder.record($0) }
        session = try CaptureSession(SessionConfiguration(input: input), services: services)
    }

    /// Lets the session run for as long as `body` takes.
    func run(_ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { [session] in await session.run() }
            while !recorder.states.contains(.running) { await Task.yield() }
            defer { group.cancelAll() }
            try await body()
        }
    }

    /// An order for an instant after the present one.
    func order(in lead: Duration = .seconds(1), _ settings: PhotoSettings = PhotoSettings()) -> CaptureOrder {
        var generator = SeededGenerator(seed: 1)
        let time = RigTime(nanoseconds: clock.now().nanoseconds) + .seconds(7200) + lead
        return CaptureOrder(
            key: CaptureKey(
                shot: ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator), device: session.device.id),
            time: time, rigClock: RigClockID(rawValue: "rig-1"), pinnedUntil: time + .seconds(10), settings: settings,
            realtimeAtTime: 1_800_000_000_000_000_000, utcOffsetMinutes: 0)
    }
}

@Suite("A camera that exposes at T", .timeLimit(.minutes(10)))
struct ScheduledCameraTests {
    @Test("Is armed when the camera has acknowledged T, and its frame is the photo, as far from T as its stamp says")
    func taken() async throws {
        let stage = try ScheduledStage()
        try await stage.run {
            let order = stage.order()
            _ = try await stage.session.arm(order).get()
            #expect(stage.camera.exposures.log.withLock { $0.armed } == [stage.clock.now() + .seconds(1)])
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(report.files.map(\.kind) == [.photo])
            #expect(report.timing.skewNanoseconds == ScriptedExposures.lateness.nanoseconds)
            #expect(report.timing.exposureNanoseconds == 4_000_000)
            let photo = try #require(report.files.first)
            let bytes = try await stage.spool.read(
                FileKey(capture: order.key, kind: .photo), offset: 0, count: Int(photo.byteCount))
            #expect(bytes.starts(with: [0xFF, 0xD8]))
        }
    }

    @Test(
        "Is not armed when the camera does not acknowledge, with its reason",
        arguments: [
            (ExposureRefusal.Cause.clock, RigProblem.Code.unsynchronized), (.tooSoon, .tooSoon), (.conflict, .conflict),
            (.camera, .deviceLost),
        ])
    func refused(_ cause: ExposureRefusal.Cause, _ code: RigProblem.Code) async throws {
        let stage = try ScheduledStage()
        stage.camera.exposures.log.withLock { $0.refusal = ExposureRefusal(cause, "it follows another clock") }
        try await stage.run {
            let order = stage.order()
            let problem = await stage.session.arm(order).failure
            #expect(problem?.code == code && problem?.message.contains("it follows another clock") == true)
            #expect(await stage.session.fire(order.key).problem?.code == .expired)
        }
    }

    @Test("A shot that is cancelled gives its exposure up")
    func cancelled() async throws {
        let stage = try ScheduledStage()
        try await stage.run {
            let order = stage.order()
            _ = try await stage.session.arm(order).get()
            #expect(stage.camera.exposures.log.withLock { $0.disarmed } == [])
            await stage.session.cancel(order.key)
            #expect(stage.camera.exposures.log.withLock { $0.disarmed } == [1])
        }
    }

    @Test("A frame that never comes is missed with the camera's reason, and one that is not whole is not stored")
    func missed() async throws {
        for isTorn in [false, true] {
            let stage = try ScheduledStage()
            stage.camera.exposures.log.withLock { log in
                if isTorn { log.byteCount = 7 } else { log.loss = ExposureRefusal(.camera, "its frame has not come") }
            }
            try await stage.run {
                let order = stage.order()
                _ = try await stage.session.arm(order).get()
                let problem = await stage.session.fire(order.key).problem
                #expect(problem?.code == (isTorn ? .corrupted : .noFrameNearTime))
                #expect(isTorn || problem?.message.contains("its frame has not come") == true)
            }
        }
    }

    @Test(
        "Exposes again after the machine or the process stood still, although no frame of a stream shows that it does",
        arguments: [Suspension.Kind.machineSlept, .processStopped])
    func suspended(_ kind: Suspension.Kind) async throws {
        let stage = try ScheduledStage()
        try await stage.run {
            await stage.session.wasSuspended(Suspension(kind, .seconds(3)))
            #expect(await stage.session.condition.state == .running)
            let order = stage.order()
            _ = try await stage.session.arm(order).get()
            #expect(await stage.session.fire(order.key).report != nil)
        }
    }

    @Test(
        "Refuses what needs a stream, and an instant that is too near",
        arguments: [
            (Duration.seconds(1), PhotoSettings(livePhoto: .required), RigProblem.Code.unsupportedSettings),
            (.seconds(1), PhotoSettings(maxPhotoDimensions: PixelSize(width: 320, height: 240)), .unsupportedSettings),
            (.milliseconds(199), PhotoSettings(), .tooSoon),
        ])
    func unable(_ lead: Duration, _ settings: PhotoSettings, _ code: RigProblem.Code) async throws {
        let stage = try ScheduledStage()
        try await stage.run {
            let problem = await stage.session.arm(stage.order(in: lead, settings)).failure
            #expect(problem?.code == code, "\(String(describing: problem))")
            #expect(stage.camera.exposures.log.withLock { $0.armed } == [])
            #expect(await stage.session.isWithoutFrames)
        }
    }
}
