import CameraKit
import CaptureEngine
import CaptureModel
import CaptureSystem
import PosixSupport
import Recording
import Sound
import Spool

/// A camera's session with everything that AVCam hangs on it: outputs, microphone, and where files are kept.
///
/// Each thing that may block has a thread of its own; a program with several cameras shares all but the session's.
struct CameraModel: Sendable {
    let session: CaptureSession
    let photoOutput: PhotoOutput
    let microphone: SoundSession?
    let library: PhotoLibrary
    let diary = SessionDiary()
    let clock: any TimeSource = SystemTimeSource()

    /// - Parameters:
    ///   - input: The camera, with the format asked of it.
    ///   - microphone: Where the sound of Live Photos and movies comes from; nil has them silent.
    init(
        _ input: CaptureDeviceInput, preset: SessionPreset = .inputPriority, microphone: (any Microphone)? = nil,
        policy: SessionPolicy = SessionPolicy(standby: .onDemand), folder: String
    ) throws {
        let spool = try Spool(
            folder: folder + "/.spool", limitBytes: 4 << 30, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        let finisher = MovieFinisher(executor: try ThreadExecutor(name: "movie-end"), clock: clock)
        library = try PhotoLibrary(folder: folder, spool: spool, finisher: finisher)
        self.microphone = try microphone.map { [clock] in
            SoundSession(
                device: DeviceDescription(id: try DeviceID("here/microphone"), mediaType: .audio, driver: "any"),
                microphone: $0, clock: clock)
        }
        let services = SessionServices(
            clock: clock, rigClock: LocalRigClock(), spool: spool, executor: try ThreadExecutor(name: "camera"),
            clipMaker: ClipMaker(executor: try ThreadExecutor(name: "clip")), clipSound: self.microphone,
            developer: RawDeveloper(executor: try ThreadExecutor(name: "develop")),
            movieOutput: MovieFileOutput(writing: try ThreadExecutor(name: "movie"), finisher: finisher)
        ) { [diary] in diary.note($0) }
        session = try CaptureSession(
            SessionConfiguration(input: input, preset: preset, policy: policy), services: services)
        photoOutput = PhotoOutput(session: session)
    }

    /// Serves session and microphone for as long as `body` takes; then camera and microphone are closed. What an earlier run
    /// had no time for is saved first.
    func serving(_ body: @Sendable (CameraModel) async throws -> Void) async throws {
        try await library.saveLeftovers()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await microphone?.run() }
            defer { group.cancelAll() }
            try await session.serving { try await body(self) }
        }
    }

    /// Opens microphone and camera; returns when frames come. The sound before T of a Live Photo is in the past when the photo
    /// is asked for, so the microphone is open as long as there may be any.
    func startRunning() async throws {
        await microphone?.need(.clips)
        if let silence = await microphone?.started() { tell("no sound: \(silence)") }
        if let problem = await session.startRunning() { throw problem }
        if let format = await session.condition.format { tell("running: \(format)") }
    }

    /// Takes a photo, and tells and saves it as it comes; returns when it is over.
    func capturePhoto(_ name: String, _ settings: PhotoSettings, at instant: LocalTime? = nil) async throws {
        let delegate = PhotoCaptureDelegate(name: name, model: self)
        try await delegate.follow(try await photoOutput.capturePhoto(with: settings, at: instant))
    }
}
