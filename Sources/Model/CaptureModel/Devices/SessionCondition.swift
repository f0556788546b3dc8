/// The condition of a device's session, in more detail than its state.
public struct SessionCondition: Hashable, Codable, Sendable {
    /// The states of a session; `docs/design/session.md` has the table.
    public enum Phase: String, Hashable, Codable, Sendable, CaseIterable {
        case stopped, starting, running, stopping, interrupted, restarting, notAuthorized, configurationFailed, failed
    }

    public var phase: Phase
    /// Present while `interrupted`.
    public var interruption: InterruptionReason?
    /// Whether this process may open the device, according to the last attempt.
    public var authorization: AuthorizationStatus
    /// Present while `restarting`: the current or next attempt, from 1.
    public var attempt: Int?
    /// Present after `configurationFailed`: the step that failed.
    public var failedStep: String?
    /// The reasons for the session to run, in order.
    public var demands: [SessionDemand]
    /// Whether it was stopped by command.
    public var isHeld: Bool
    public var readiness: CaptureReadiness
    public var abilities: SessionAbilities
    public var cost: SessionCost?
    /// The stills that are larger than the stream's frames; nil if none are enabled, and before the device's offers are known.
    public var largerPhoto: LargerPhoto?
    /// Live Photos whose clip is still being recorded, after AVCam's `inProgressLivePhotoCapturesCount`.
    public var livePhotosInProgress: Int
    /// The movie that is being recorded; nil if there is none.
    public var recording: RecordingProgress?
    /// How well it is aligned with the rig's time; nil if it need not be.
    public var alignment: CameraAlignment?
    /// Whether its photos can have a raw file, regardless of its current condition: `raw` is enabled, and its format,
    /// if known, is a sensor's mosaic.
    public var hasRaw: Bool

    public init(
        phase: Phase, interruption: InterruptionReason? = nil, authorization: AuthorizationStatus = .notDetermined,
        attempt: Int? = nil, failedStep: String? = nil, demands: [SessionDemand] = [], isHeld: Bool = false,
        readiness: CaptureReadiness = .notRunning, abilities: SessionAbilities = SessionAbilities(),
        cost: SessionCost? = nil, largerPhoto: LargerPhoto? = nil, livePhotosInProgress: Int = 0,
        recording: RecordingProgress? = nil, alignment: CameraAlignment? = nil, hasRaw: Bool = false
    ) {
        self.phase = phase
        self.interruption = interruption
        self.authorization = authorization
        self.attempt = attempt
        self.failedStep = failedStep
        self.demands = demands
        self.isHeld = isHeld
        self.readiness = readiness
        self.abilities = abilities
        self.cost = cost
        self.largerPhoto = largerPhoto
        self.livePhotosInProgress = livePhotosInProgress
        self.recording = recording
        self.alignment = alignment
        self.hasRaw = hasRaw
    }
}

/// Whether a camera accepts a further capture, after AVFoundation's `AVCapturePhotoOutput.CaptureReadiness`, from ready to not running.
///
/// Captures overlap, so a camera that waits for a capture or makes a still accepts further ones.
public enum CaptureReadiness: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
    /// It runs and is idle.
    case ready
    /// Stills are being made from chosen frames.
    case waitingForProcessing
    /// The frame of a capture has not arrived yet.
    case waitingForCapture
    /// It runs, but accepts no further capture before one has ended.
    case busy
    /// The session does not run.
    case notRunning

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Why a session that should run does not run, although it is not faulty. It resumes automatically.
///
/// After AVFoundation's `AVCaptureSession.InterruptionReason`. Only reasons that have a source are listed.
public enum InterruptionReason: String, Hashable, Codable, Sendable, CaseIterable {
    /// The device is not present: unplugged (`ENODEV`, `ENOENT`).
    case deviceAbsent
    /// Another program holds the device (`EBUSY`).
    case inUseByAnotherClient
    /// The bus has no bandwidth left for the stream (`ENOSPC` at stream on).
    case noBandwidth
    /// The device ran, but this process may no longer open it (`EACCES`, `EPERM`).
    case accessRevoked
    /// The camera has left its stream's format for a still that is larger than the stream's frames.
    case largerPhoto
    /// The machine slept, or the process was stopped. The next good frame ends it.
    case nodeSuspended
    /// The machine is overloaded or too hot to run cameras.
    case systemPressure
}

/// The stills of a camera that are larger than the frames of its stream.
public struct LargerPhoto: Hashable, Codable, Sendable {
    /// The largest size that the device offers and its configuration enables.
    public var dimensions: PixelSize
    /// The shortest lead of T, in nanoseconds: the camera is closed and reopened before T.
    public var leadNanoseconds: Int64

    public init(dimensions: PixelSize, leadNanoseconds: Int64) {
        self.dimensions = dimensions
        self.leadNanoseconds = leadNanoseconds
    }
}
