public import CameraKit
public import CaptureModel
import PosixSupport
import Spool

/// One camera's session, after AVFoundation's `AVCaptureSession`: its stream, its ring, and what its frames are used for.
///
/// How it stands, and what it does when the camera fails or is taken away, is decided by ``SessionMachine``; the table is
/// in `docs/design/session.md`. The session runs on a thread of its own, where frames are also checked and encoded, so
/// that a slow frame delays only its own camera. What it owns is in its ``SessionCore``; photos, movies and the other uses of
/// its frames are ``CaptureOutput``s, with state of their own. The actor is how other threads reach them, and where their
/// tasks begin.
public actor CaptureSession {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Who else gets the good frames, beside the ring.
    public nonisolated let outputs: SessionOutputs

    nonisolated let executor: ThreadExecutor
    nonisolated let services: SessionServices
    /// What the session is made of, and the format it asks of its camera.
    nonisolated let setup: Locked<SessionSetup>

    let core: SessionCore
    let scene: SceneMonitor
    let livePhotos: LivePhotoOutput
    let movies: MovieRecordings
    let captures: PendingCaptures
    /// Whether a configuration is being committed.
    var isCommitting = false

    /// A session that is stopped until ``run()`` executes.
    /// - Throws: Where the configuration has no input.
    public init(_ configuration: SessionConfiguration, services: SessionServices) throws(ConfigurationFailure) {
        let outputs = SessionOutputs()
        let setup = Locked(try SessionSetup(configuration))
        let core = SessionCore(setup, policy: configuration.policy, services: services)
        let controls = CameraControls(core)
        let livePhotos = LivePhotoOutput(core)
        let movies = MovieRecordings(core)
        let captures = PendingCaptures(core, controls: controls, livePhotos: livePhotos, movies: movies)
        let scene = SceneMonitor(core, controls: controls)
        core.attach([captures, livePhotos, movies, AttachedOutputs(core, outputs), scene])
        self.outputs = outputs
        self.setup = setup
        self.services = services
        executor = services.executor
        (self.core, self.captures, self.livePhotos) = (core, captures, livePhotos)
        (self.movies, self.scene) = (movies, scene)
    }

    /// The device that is the session's input, with the orientation and mirroring of its connections.
    public nonisolated var device: DeviceDescription { setup.withLock(\.device) }

    /// The camera that is the session's input.
    public nonisolated var camera: any Camera { setup.withLock { $0.input.device.camera } }

    /// The connection that feeds an output; nil where the session does not have the output.
    public nonisolated func connection(to output: CaptureOutputKind) -> CaptureConnection? {
        setup.withLock { $0.configuration.connection(to: output) }
    }

    nonisolated var clock: any TimeSource { services.clock }
    nonisolated var rigClock: any RigTimeSource { services.rigClock }
    nonisolated var spool: Spool { services.spool }

    // MARK: How it stands

    /// What the device is doing.
    public var condition: DeviceCondition { core.condition }

    /// What can be asked for, with reasons. Whether there is another camera to switch to, only the node knows.
    public var abilities: SessionAbilities { core.sessionCondition.abilities }

    /// Whether a further capture would be taken.
    public var readiness: CaptureReadiness { core.sessionCondition.readiness }

    /// What the camera costs while it runs; nil where nothing is known of its format before it has run, and where there is
    /// no camera.
    public var cost: SessionCost? { core.cost }

    /// Whether something needs the session, or its hardware is not closed.
    public var isInUse: Bool { core.machine.isWanted || core.machine.hardware != .closed }

    /// How far the ring reaches back from the newest frame.
    public var ringReach: Duration {
        guard let oldest = ring.oldest, let newest = ring.newest else { return .zero }
        return newest.midExposure - oldest.midExposure
    }

    /// The captures that are armed or fired and have no outcome yet, or owe a clip, in order.
    public var capturesUnderWay: [CaptureKey] { core.capturesUnderWay }

    var ring: FrameRing { core.ring }
    var machine: SessionMachine { core.machine }
    var stream: (any CameraStream)? { core.stream?.stream }
}
