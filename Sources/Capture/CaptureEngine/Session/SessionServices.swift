public import CaptureModel
public import PosixSupport
public import Sound
public import Spool

/// What a session works with, beside its camera: clocks, the store of its captures, and what the sessions of a node share.
public struct SessionServices: Sendable {
    public var clock: any TimeSource
    public var rigClock: any RigTimeSource
    public var spool: Spool
    /// The session's own thread.
    public var executor: ThreadExecutor
    /// Measures the scene where that is asked for; nil has it done on the session's thread.
    public var sceneMeter: SceneMeter?
    /// Makes the companion clips of captures; nil where there are none.
    public var clipMaker: ClipMaker?
    /// Encodes clips and stills, and makes motion photos; nil where that cannot be asked for.
    public var deferred: DeferredProcessor?
    /// Where the sound of clips and movies comes from; nil where no microphone belongs to the camera.
    public var clipSound: (any ClipSoundSource)?
    /// Develops a sensor's mosaic; nil has it done on the session's thread.
    public var developer: RawDeveloper?
    /// Records the camera for takes; nil where nothing is recorded.
    public var movieOutput: MovieFileOutput?
    /// Told of every change, in order; the session waits for it, so it must be quick and ask nothing of the session.
    public var observer: @Sendable (SessionEvent) async -> Void

    public init(
        clock: any TimeSource, rigClock: any RigTimeSource, spool: Spool, executor: ThreadExecutor,
        sceneMeter: SceneMeter? = nil, clipMaker: ClipMaker? = nil, deferred: DeferredProcessor? = nil,
        clipSound: (any ClipSoundSource)? = nil, developer: RawDeveloper? = nil, movieOutput: MovieFileOutput? = nil,
        observer: @escaping @Sendable (SessionEvent) async -> Void
    ) {
        self.clock = clock
        self.rigClock = rigClock
        self.spool = spool
        self.executor = executor
        self.sceneMeter = sceneMeter
        self.clipMaker = clipMaker
        self.deferred = deferred
        self.clipSound = clipSound
        self.developer = developer
        self.movieOutput = movieOutput
        self.observer = observer
    }
}

extension SessionServices {
    /// Why a clip or movie would be silent; nil while sound comes.
    func silence() async -> String? {
        guard let clipSound else { return "no microphone belongs to this camera" }
        return await clipSound.silence()
    }
}
