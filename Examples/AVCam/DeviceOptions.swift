import ALSAMicrophone
import ArgumentParser
import CameraKit
import CaptureEngine
import CaptureModel
import PosixSupport
import Recording
import Sound
import Spool
import SystemClock
import V4L2Camera
import VirtualDevices

/// Options for the cameras, the microphone, and the folder of photos and movies.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "Where photos and movies go; made where it is missing.", completion: .directory)
    var folder: String

    @Option(help: "Where captures wait until they are saved; else .spool in FOLDER, which this must be able to read.")
    var spool: String?

    @Argument(
        help: "One or two V4L2 cameras, such as /dev/video0, the back one first; without any, virtual ones stand in.")
    var devices: [String] = []

    @Option(
        help: "The microphone, as libasound names it; else the machine's first, or with virtual cameras a virtual one.")
    var microphone: String?

    /// The cameras, closed.
    /// - Parameter framesPerSecond: Frame rate of virtual cameras.
    func cameras(framesPerSecond: Double = 30) throws -> [CaptureDevice] {
        if devices.isEmpty { return try CaptureDevice.virtual([.back, .front], framesPerSecond: framesPerSecond) }
        return try zip(devices, [Position.back, .front]).map { path, position in
            let name = position.rawValue
            let camera = V4L2Camera(name: name, identity: .path(path))
            return try CaptureDevice(camera, name: name, position: position, driver: "v4l2")
        }
    }

    /// The microphone, closed; nil if the machine has none that may be opened.
    func openableMicrophone() async throws -> (any Microphone)? {
        if let microphone { return ALSAMicrophone(name: "microphone", device: microphone) }
        if devices.isEmpty { return VirtualMicrophone(name: "microphone") }
        let first = try await MicrophoneListing.all().first { $0.authorization == .authorized }
        return first.map { ALSAMicrophone(name: "microphone", device: $0.device) }
    }

    mutating func validate() throws {
        if devices.count > 2 { throw ValidationError("this example takes two cameras at most, one for each position") }
    }
}

/// A camera's session with everything that AVCam attaches to it: outputs, microphone, and storage.
///
/// Everything that may block has a separate thread. In a program with several cameras, all threads except the session's
/// can be shared.
struct CameraModel: Sendable {
    let session: CaptureSession
    let photoOutput: PhotoOutput
    let microphone: SoundSession?
    let library: PhotoLibrary
    let diary = SessionDiary()
    let clock: any TimeSource = SystemTimeSource()

    /// - Parameters:
    ///   - input: The camera, with the requested format.
    ///   - microphone: The source of sound for Live Photos and movies; nil: they are silent.
    init(
        _ input: CaptureDeviceInput, preset: SessionPreset = .inputPriority, microphone: (any Microphone)? = nil,
        policy: SessionPolicy = SessionPolicy(standby: .onDemand), folder: String, spool spoolFolder: String? = nil
    ) throws {
        let spool = try Spool(
            folder: spoolFolder ?? folder + "/.spool", limitBytes: 4 << 30, reserveFreeBytes: 0,
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

    /// Runs session and microphone while `body` runs, then closes camera and microphone. First saves what an earlier
    /// run left unsaved.
    func serving(_ body: @Sendable (CameraModel) async throws -> Void) async throws {
        try await library.saveLeftovers()
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { await microphone?.run() }
            defer { group.cancelAll() }
            try await session.serving { try await body(self) }
        }
    }

    /// Opens microphone and camera; returns when frames arrive. A Live Photo contains sound from before its request, so
    /// the microphone stays open while Live Photos may be requested.
    func startRunning() async throws {
        await microphone?.need(.clips)
        if let silence = await microphone?.started() { tell("no sound: \(silence)") }
        if let problem = await session.startRunning() { throw problem }
        if let format = await session.condition.format { tell("running: \(format)") }
    }

    /// Takes a photo, prints its steps and saves its files as they arrive; returns when the capture has ended.
    func capturePhoto(_ name: String, _ settings: PhotoSettings, at instant: LocalTime? = nil) async throws {
        let delegate = PhotoCaptureDelegate(name: name, model: self)
        try await delegate.follow(try await photoOutput.capturePhoto(with: settings, at: instant))
    }
}

/// Devices of this machine, which is the node `here`.
extension CaptureDevice {
    init(_ camera: any Camera, name: String, position: Position, driver: String) throws {
        self.init(
            description: DeviceDescription(
                id: try DeviceID("here/\(name)"), type: .wide, position: position, purpose: "The AVCam walk",
                driver: driver),
            camera: camera)
    }

    /// A virtual camera for each position, with the position's name.
    static func virtual(_ positions: [Position], framesPerSecond: Double) throws -> [CaptureDevice] {
        var configuration = VirtualCameraConfiguration()
        configuration.framesPerSecond = framesPerSecond
        return try positions.map { [configuration] position in
            let name = position.rawValue
            let camera = VirtualCamera(name: name, configuration: configuration)
            return try CaptureDevice(camera, name: name, position: position, driver: "virtual")
        }
    }
}

extension Position {
    static let back = Position(rawValue: "back")
    static let front = Position(rawValue: "front")
}
