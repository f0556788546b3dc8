public import CaptureModel

/// The times and sizes a session keeps to.
public struct SessionPolicy: Hashable, Sendable {
    /// How much time the ring holds.
    public var ringDepth: Duration
    /// Bytes of images the ring holds, at most: this camera's share of the node's budget.
    public var ringByteLimit: Int
    /// A stream without a good frame for so long is restarted.
    public var stallTimeout: Duration
    /// Waits between attempts to start a camera: the first, doubled each time up to the last.
    public var firstRetry: Duration
    public var lastRetry: Duration
    /// T may lie at most so far ahead.
    public var maximumLead: Duration
    /// Encoder quality, 1 to 100, where the settings of a shot leave it open and the camera delivers no JPEG.
    public var quality: Int
    /// Whether the camera runs while nothing needs it.
    public var standby: StandbyPolicy
    /// Failures in a row after which the session gives up, until it is resumed.
    public var failureLimit: Int
    /// A session that has run for so long has no failures behind it any more.
    public var goodPeriod: Duration
    /// Whether captures may have a companion clip, where the ring is deep enough for one (``LivePhotoMovie/ringDepth``).
    public var isLivePhotoEnabled: Bool
    /// Whether a clip must have sound; else it is silent where there is none, and says so.
    public var isClipSoundRequired: Bool
    /// When a change of the scene is told, from the session's beginning on; nil for never.
    public var sceneChange: SceneChangeSettings?
    /// Bytes of the spool that a movie leaves to stills; it is refused, or ended, where less is left.
    public var movieHeadroom: Int64
    /// Bytes of a recording's frames that may wait for the disk; beyond, frames are left out and counted.
    public var movieQueueByteLimit: Int

    public init(
        ringDepth: Duration = .seconds(3), ringByteLimit: Int = 128 << 20, stallTimeout: Duration = .seconds(2),
        firstRetry: Duration = .milliseconds(250), lastRetry: Duration = .seconds(5),
        maximumLead: Duration = .seconds(60), quality: Int = 90, standby: StandbyPolicy = .always,
        failureLimit: Int = 10, goodPeriod: Duration = .seconds(10), isLivePhotoEnabled: Bool = true,
        isClipSoundRequired: Bool = false,
        sceneChange: SceneChangeSettings? = nil, movieHeadroom: Int64 = 64 << 20,
        movieQueueByteLimit: Int = 64 << 20
    ) {
        self.ringDepth = ringDepth
        self.ringByteLimit = ringByteLimit
        self.stallTimeout = stallTimeout
        self.firstRetry = firstRetry
        self.lastRetry = lastRetry
        self.maximumLead = maximumLead
        self.quality = quality
        self.standby = standby
        self.failureLimit = failureLimit
        self.goodPeriod = goodPeriod
        self.isLivePhotoEnabled = isLivePhotoEnabled
        self.isClipSoundRequired = isClipSoundRequired
        self.sceneChange = sceneChange
        self.movieHeadroom = movieHeadroom
        self.movieQueueByteLimit = movieQueueByteLimit
    }

    var limits: SessionMachine.Limits {
        SessionMachine.Limits(failures: failureLimit, firstRetry: firstRetry, lastRetry: lastRetry)
    }
}
