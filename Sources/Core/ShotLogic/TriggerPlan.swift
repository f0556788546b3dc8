public import CaptureModel

/// The instant a shot will be of, and how simultaneous its frames are likely to be.
public struct TriggerPlan: Hashable, Sendable {
    /// T.
    public var time: RigTime
    /// How much later than the wish T was put, to where the cameras are closest together.
    public var shift: Duration
    /// Latest minus earliest predicted mid-exposure, over the cameras whose phase is known; nil for fewer than two.
    public var predictedSpread: Duration?
    /// The cameras the prediction is about.
    public var predictedCameras: Int

    public init(time: RigTime, shift: Duration, predictedSpread: Duration?, predictedCameras: Int) {
        self.time = time
        self.shift = shift
        self.predictedSpread = predictedSpread
        self.predictedCameras = predictedCameras
    }
}

/// What the planner knows of a selected camera.
public struct PlannedCamera: Hashable, Sendable {
    /// Measured round trip to the camera's node.
    public var roundTrip: Duration?
    /// Nominal time from frame to frame.
    public var frameInterval: Duration?
    /// Where its exposures fall; nil while it does not stream or its node has no clock estimate.
    public var phase: FramePhase?
    /// How far ahead of T the camera begins with the capture; nil where it takes a frame as it comes.
    public var preparation: Duration?

    public init(
        roundTrip: Duration? = nil, frameInterval: Duration? = nil, phase: FramePhase? = nil,
        preparation: Duration? = nil
    ) {
        self.roundTrip = roundTrip
        self.frameInterval = frameInterval
        self.phase = phase
        self.preparation = preparation
    }
}

/// The instants that can be asked for.
public struct TriggerLimits: Hashable, Sendable {
    /// How far before receipt T may lie: what every selected camera's ring holds, less the time prepare takes.
    public var ringDepth: Duration
    /// How far after receipt T may lie.
    public var maximumAhead: Duration

    public init(ringDepth: Duration, maximumAhead: Duration = .seconds(30)) {
        self.ringDepth = ringDepth
        self.maximumAhead = maximumAhead
    }
}
