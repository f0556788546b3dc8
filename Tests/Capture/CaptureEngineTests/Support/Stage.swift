import CameraKit
import CameraSettings
import CaptureModel
import CaptureTestSupport
import Glibc
import ImageMetadata
import PosixSupport
import Recording
import Sound
import Spool
import Testing
import TimeCode
import TurboJPEG
import VirtualDevices

@testable import CaptureEngine

/// A session of one virtual camera (160 × 120, 25 fps, MJPEG unless another pixel format is asked for) with a spool of its own, on a clock that the test moves.
final class Stage: Sendable {
    /// Time from frame to frame.
    static let period = Duration.milliseconds(40)
    /// A camera exposes for 8 ms, and its frame is out 4 ms after that: so long after mid-exposure.
    static let latency = Duration.milliseconds(8)
    /// More steps than a task takes from thread to thread at one instant.
    private static let passes = 8

    let clock: ManualTimeSource
    let rig: AffineRigClock
    let camera: VirtualCamera
    let tap: TappedCamera
    let spool: Spool
    let session: CaptureSession
    /// Runs the session's tasks; a test that has a task of its own wait on the clock runs it here too.
    let executor = TrackedExecutor()
    let recorder = SessionRecorder()
    /// What came after its capture's end.
    let deferred = Observed<[DeferredFile]>([])
    private let processing: DeferredProcessor?
    private let folder: TemporaryFolder
    private let running = Locked<Task<Void, Never>?>(nil)

    init(
        policy: SessionPolicy = SessionPolicy(), spoolLimit: Int64 = 1 << 30, rig: AffineRigClock = AffineRigClock(),
        isDiskBroken: Bool = false, diskFaults: [FileFault] = [], clock: ManualTimeSource = ManualTimeSource(),
        device: String = "north/cam",
        isMirrored: Bool? = nil, pixelFormat: PixelFormat? = nil, maxPhotoDimensions: MaxPhotoDimensions? = nil,
        preset: SessionPreset = .inputPriority,
        offers: [FormatOffer]? = nil, clipWriter: (any ClipWriting)? = nil, clipSound: (any ClipSoundSource)? = nil,
        encoder: (any ClipEncoding)? = nil, stills: (any StillEncoding)? = nil,
        raw: RawSettings = RawSettings(), developingObstacle: String? = nil,
        recordsMovies: Bool = false, movieObstacle: String? = nil,
        statesValues: Bool = true, cameras: CameraCatalogue = .shipped, cameraFiles: CameraFiles? = nil,
        stamps: StampCorrection = StampCorrection(),
        configure: (inout VirtualCameraConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = VirtualCameraConfiguration()
        (configuration.width, configuration.height, configuration.framesPerSecond) = (160, 120, 25)
        configure(&configuration)
        self.rig = rig
        self.clock = clock
        camera = VirtualCamera(name: "cam", configuration: configuration, stamps: stamps)
        tap = TappedCamera(camera, offers: offers, statesValues: statesValues)
        folder = try TemporaryFolder()
        spool = try Spool(
            folder: folder.path, limitBytes: spoolLimit, reserveFreeBytes: 0, executor: ThreadExecutor(name: "spool"),
            fault: isDiskBroken ? Self.everyWriteFails : diskFaults.first)
        let isProcessing = encoder != nil || stills != nil
        processing = isProcessing ? try Self.processor(encoder, stills, spool, deferred) : nil
        let input = CaptureDeviceInput(
            device: CaptureDevice(
                description: DeviceDescription(id: try DeviceID(device), mirrored: isMirrored, driver: "virtual"),
                camera: tap),
            format: FormatRequest(pixelFormat: pixelFormat), maxPhotoDimensions: maxPhotoDimensions, raw: raw)
        let services = SessionServices(
            clock: clock, rigClock: rig, spool: spool, executor: try ThreadExecutor(name: "cam"),
            clipMaker: try clipWriter.map { ClipMaker(executor: try ThreadExecutor(name: "clip"), writer: $0) },
            deferred: processing, clipSound: clipSound,
            developer: RawDeveloper(executor: try ThreadExecutor(name: "develop")) { developingObstacle },
            movieOutput: recordsMovies ? try Self.movieOutput(clock, movieObstacle) : nil, cameras: cameras,
            cameraFiles: cameraFiles
        ) { [recorder] in recorder.record($0) }
        session = try CaptureSession(
            SessionConfiguration(input: input, preset: preset, policy: policy), services: services)
    }

    private static func movieOutput(_ clock: any TimeSource, _ obstacle: String?) throws -> MovieFileOutput {
        MovieFileOutput(
            writing: try ThreadExecutor(name: "movie"),
            finisher: MovieFinisher(executor: try ThreadExecutor(name: "movie-end"), clock: clock), obstacle: obstacle)
    }

    /// The disk reads, and writes nothing.
    private static let everyWriteFails: FileFault = { step, _ in step == .write ? EIO : nil }

    /// What another life of the agent has on the same spool.
    func processor(
        _ encoder: (any ClipEncoding)? = nil, stills: (any StillEncoding)? = nil
    ) throws -> DeferredProcessor {
        try Self.processor(encoder, stills, spool, deferred)
    }

    private static func processor(
        _ encoder: (any ClipEncoding)?, _ stills: (any StillEncoding)?, _ spool: Spool,
        _ deferred: Observed<[DeferredFile]>
    ) throws -> DeferredProcessor {
        let executor = try ThreadExecutor(name: "encode")
        return DeferredProcessor(spool: spool, encoder: encoder, stills: stills, executor: executor) { file in
            deferred.change { $0.append(file) }
        }
    }

    /// Lets the session run for as long as `body` takes, and waits for its end.
    @discardableResult
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        running.withLock {
            $0 = Task(executorPreference: executor) { [session, processing] in
                await withDiscardingTaskGroup { group in
                    group.addTask { await session.run() }
                    group.addTask { await processing?.run() }
                }
            }
        }
        await session.served()
        do {
            let result = try await body()
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    /// Ends the session, as a shutdown of the node does.
    func end() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await task?.value
    }

    /// Lets the camera start and expose so many frames.
    func start(frames count: Int = 4) async {
        await pass(until: .running)
        await advance(frames: count)
    }

    /// Lets the camera expose so many further frames; each is dealt with before the next one is exposed.
    func advance(frames count: Int) async {
        await pass(Self.period * count)
    }

    /// Lets time pass in steps so short that no two instants that matter fall into one.
    func pass(_ duration: Duration) async {
        let end = clock.now() + duration
        await settle()
        while clock.now() < end { await step() }
    }

    /// Lets time pass until the device has entered this state, `count` times in all.
    func pass(until state: DeviceCondition.State, times count: Int = 1) async {
        while recorder.states.count(where: { $0 == state }) < count { await step() }
    }

    private func step() async {
        await waitUntilIdle(woken: clock.wakeSleepers(within: .milliseconds(1)))
    }

    /// Returns when camera, session and spool have done all there is to do at the present instant.
    /// - Parameter woken: How many tasks were woken by it.
    func waitUntilIdle(woken: Int = 1) async {
        await tap.settled(after: clock.now())
        await settle()
        guard woken > 0 else { return }
        // Tasks of the test's own may go from thread to thread before they are done, as one does that sets the camera's controls.
        for _ in 0..<Self.passes {
            await Task.yield()
            await session.pass()
            await spool.pass()
        }
    }

    /// Returns when none of the session's tasks can go on, here, on the session's thread or on the spool's.
    private func settle() async {
        var jobs = -1
        while case let found = await executor.idle(), found != jobs {
            jobs = found
            await session.pass()
            await spool.pass()
        }
    }

    /// Returns when somebody arms the camera and waits for a frame.
    func awaitFrameAlarm() async {
        while await !session.isWaitingToArm {}
    }

    /// The present on the rig's time line.
    var now: RigTime { RigTime(nanoseconds: clock.now().nanoseconds) + .seconds(7200) }

    /// An order for T; the shot's number tells orders apart.
    func order(
        _ time: RigTime, shot number: Int64 = 1, pinnedFor pinned: Duration = .seconds(10), device: String? = nil,
        settings: PhotoSettings = PhotoSettings()
    ) -> CaptureOrder {
        var generator = SeededGenerator(seed: UInt64(number))
        let shot = ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
        return CaptureOrder(
            key: CaptureKey(shot: shot, device: device.flatMap { try? DeviceID($0) } ?? session.device.id), time: time,
            rigClock: RigClockID(rawValue: "rig-1"), pinnedUntil: max(time, now) + pinned, settings: settings,
            realtimeAtTime: 1_800_000_000_000_000_000, utcOffsetMinutes: 120)
    }

    /// Names of the files in the spool's folder of captures.
    func spooledNames() throws -> [String] { try folder.names("captures") }

    func deferredNames() throws -> [String] { try folder.names("deferred") }

    /// The bytes of a still in the spool.
    func still(_ report: CaptureReport) async throws -> [UInt8] {
        try await bytes(of: .photo, report)
    }

    /// The bytes of a capture's file in the spool.
    func bytes(of kind: AssetKind, _ report: CaptureReport) async throws -> [UInt8] {
        let count = try #require(report.files.first { $0.kind == kind }).byteCount
        return try await spool.read(FileKey(capture: report.key, kind: kind), offset: 0, count: Int(count))
    }
}

/// The time code in the pixels of a JPEG.
func timeCode(of jpeg: [UInt8]) throws -> TimeCode {
    var image = LumaImage()
    try JPEGDecoder().decodeLuma(jpeg, into: &image)
    return try TimeCode.decode(
        luma: image.bytes.span, width: image.width, height: image.height, stride: image.width)
}

extension Result {
    /// The error of a failure.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }

    /// The value of a success.
    var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}

extension CaptureResult {
    var report: CaptureReport? {
        if case .captured(let report) = self { report } else { nil }
    }

    var problem: RigProblem? {
        if case .missed(_, let problem) = self { problem } else { nil }
    }
}
