public import CameraKit
public import CaptureModel
import PosixSupport
import Spool

/// One camera's session, after AVFoundation's `AVCaptureSession`: its stream, its ring, and the uses of its frames.
///
/// ``SessionMachine`` decides its state and its reaction to a camera that fails or is taken away; the table is in
/// `docs/design/session.md`. The session runs on a separate thread, where frames are also checked and encoded, so that
/// a slow frame delays only its own camera. Its ``SessionCore`` has what it owns. Photos, movies and the other uses of
/// its frames are ``CaptureOutput``s with separate state. The actor gives other threads access to them, and starts
/// their tasks.
public actor CaptureSession {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The receivers of good frames in addition to the ring.
    public nonisolated let outputs: SessionOutputs

    nonisolated let executor: ThreadExecutor
    nonisolated let services: SessionServices
    /// The session's configuration, and the format requested from its camera.
    nonisolated let setup: Locked<SessionSetup>

    let core: SessionCore
    let scene: SceneMonitor
    let livePhotos: LivePhotoOutput
    let movies: MovieRecordings
    let captures: PendingCaptures
    let settings: SettingsOutput
    let measuring: MeasureOutput
    let alignment: AlignmentOutput

    /// Creates a session that is stopped until ``run()`` executes.
    /// - Throws: If the configuration has no input.
    public init(_ configuration: SessionConfiguration, services: SessionServices) throws(ConfigurationFailure) {
        let outputs = SessionOutputs()
        let setup = Locked(try SessionSetup(configuration))
        let core = SessionCore(setup, policy: configuration.policy, services: services)
        let controls = CameraControls(core)
        let livePhotos = LivePhotoOutput(core, controls: controls)
        let movies = MovieRecordings(core, controls: controls)
        let captures = PendingCaptures(core, controls: controls, livePhotos: livePhotos, movies: movies)
        let scene = SceneMonitor(core, controls: controls)
        let settings = SettingsOutput(core, controls: controls, captures: captures)
        let measuring = MeasureOutput(core, controls: controls, captures: captures)
        let alignment = AlignmentOutput(core)
        core.attach([
            captures, settings, livePhotos, movies, AttachedOutputs(core, outputs), scene, measuring, alignment,
        ])
        self.outputs = outputs
        self.setup = setup
        self.services = services
        executor = services.executor
        (self.core, self.captures, self.livePhotos) = (core, captures, livePhotos)
        (self.movies, self.scene, self.settings) = (movies, scene, settings)
        (self.measuring, self.alignment) = (measuring, alignment)
    }

    /// The device that is the session's input, with the orientation and mirroring of its connections.
    public nonisolated var device: DeviceDescription { setup.withLock(\.device) }

    /// The camera that is the session's input.
    public nonisolated var camera: any Camera { setup.withLock { $0.input.device.camera } }

    /// Returns the connection that feeds an output; nil if the session does not have the output.
    public nonisolated func connection(to output: CaptureOutputKind) -> CaptureConnection? {
        setup.withLock { $0.configuration.connection(to: output) }
    }

    nonisolated var clock: any TimeSource { services.clock }
    nonisolated var rigClock: any RigTimeSource { services.rigClock }
    nonisolated var spool: Spool { services.spool }

    // MARK: State

    /// What the device is doing.
    public var condition: DeviceCondition { core.condition }

    /// The requests that the session accepts, with reasons. Only the node knows whether there is another camera to
    /// switch to.
    public var abilities: SessionAbilities { core.sessionCondition.abilities }

    /// What the hardware said of itself when it was last opened.
    public var hardware: CameraHardware { core.knowledge.hardware }

    /// Whether another capture would be accepted.
    public var readiness: CaptureReadiness { core.sessionCondition.readiness }

    /// The cost of the camera while it runs; nil if its format is unknown before it has run, or if there is no camera.
    public var cost: SessionCost? { core.cost }

    /// Whether something needs the session, or its hardware is not closed.
    public var isInUse: Bool { core.machine.isWanted || core.machine.hardware != .closed }

    /// How far the ring reaches back from the newest frame.
    public var ringReach: Duration {
        guard let oldest = ring.oldest, let newest = ring.newest else { return .zero }
        return newest.midExposure - oldest.midExposure
    }

    /// The captures that are armed or fired and have no outcome yet, or owe a file, in order.
    public var capturesUnderWay: [CaptureKey] { core.capturesUnderWay }

    var ring: FrameRing { core.ring }
    var machine: SessionMachine { core.machine }
    var stream: (any CameraStream)? { core.stream?.stream }
}

/// Requests about the session's camera.
extension CaptureSession {
    /// Lets the session run. Returns when its hardware runs or has failed.
    ///
    /// Ends the effect of ``stopRunning()``, and retries a session that has failed. ``run()`` must be executing.
    /// - Returns: Why it does not run, if it does not. It may still start on its own later.
    @discardableResult
    public func startRunning() async -> RigProblem? {
        await need(.command)
    }

    /// Lets the session run while something needs it. Returns when its hardware runs or has failed. A session that was
    /// stopped stays stopped, unless the demand is a command.
    @discardableResult
    public func need(_ demand: SessionDemand) async -> RigProblem? {
        guard core.isServing else {
            return RigProblem(.notRunning, "\(device.id): the session is not served; call its run()")
        }
        core.lingering.remove(demand)
        await core.handle(.start(demand))
        return await core.outcome()
    }

    /// Ends a demand of ``need(_:)``. The camera is closed if nothing else needs it, after captures in progress have
    /// their outcome. Does nothing if there was no such demand.
    public func release(_ demand: SessionDemand) async {
        await core.release(demand)
    }

    /// Stops the session. When this returns, the device is free for others. It stays stopped until ``startRunning()``.
    /// Captures that have their frames are still made.
    public func stopRunning() async {
        await core.handle(.stop)
        await core.waitUntilIdle()
    }

    /// Retries at once a session that has failed or waits for its next attempt. Returns when it runs or has failed.
    /// - Returns: Why it does not run, if it does not.
    @discardableResult
    public func resume() async -> RigProblem? {
        await core.handle(.resume)
        return await core.outcome()
    }

    /// Notes that the system has a device that may be the session's. The session is retried at once.
    public func deviceAppeared() async {
        await core.handle(.deviceAppeared)
    }

    /// Closes the camera because of the pressure on the machine, or lets it run again. May be repeated.
    public func systemPressure(interrupts: Bool, _ pressure: SystemPressure) async {
        guard interrupts else { return await core.handle(.unbarred) }
        let figures = pressure.reason.map { ": \($0)" } ?? ""
        await core.handle(
            .barred(.systemPressure, "the machine is overloaded\(figures); the camera runs again when that is over"))
    }

    /// Notes that the library has a file of a capture. When it has all that a camera without frames has made, that may remove its own copies.
    public func isDurable(_ file: FileKey) { captures.isDurable(file) }

    /// Whether the camera takes pictures only when it is asked or told, so that T cannot lie in the past. false while it is closed.
    public var isWithoutFrames: Bool { !core.hasFrames }

    /// Notes that the machine or the process was suspended. A running session is interrupted until its next good frame, and one of a camera
    /// without frames for this moment.
    ///
    /// After a sleep of the machine, earlier instants no longer have a rig time. So the frames and the captures in
    /// progress are given up: each ends with `deviceLost`. After a stop of the process both stay, and a capture without
    /// a frame of its T reports it.
    public func wasSuspended(_ suspension: Suspension) async {
        await core.wasSuspended(suspension)
    }
}

extension RigProblem {
    /// Translates why a camera did not do what was requested.
    public init(_ error: CameraError) {
        switch error.code {
        case .unsupportedControl, .unsupportedFormat: self.init(.unsupportedSettings, error.description)
        default: self.init(.notRunning, error.description)
        }
    }
}
