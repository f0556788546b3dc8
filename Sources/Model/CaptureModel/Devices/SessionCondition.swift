/// How the session of a device stands: more than its state tells.
public struct SessionCondition: Hashable, Codable, Sendable {
    /// The states of a session; `docs/design/session.md` has the table.
    public enum Phase: String, Hashable, Codable, Sendable, CaseIterable {
        case stopped, starting, running, stopping, interrupted, restarting, notAuthorized, configurationFailed, failed
    }

    public var phase: Phase
    /// Present while `interrupted`.
    public var interruption: InterruptionReason?
    /// Whether this process may open the device, as far as the last attempt showed.
    public var authorization: AuthorizationStatus
    /// Present while `restarting`: the attempt that is made or comes next, from 1.
    public var attempt: Int?
    /// Present after `configurationFailed`: what was being done.
    public var failedStep: String?
    /// What needs the session to run, in order.
    public var demands: [SessionDemand]
    /// Whether somebody has stopped it.
    public var isHeld: Bool
    public var readiness: CaptureReadiness
    public var abilities: SessionAbilities
    public var cost: SessionCost?
    /// What stills it takes that are larger than its stream's frames; nil where none are enabled, and before it is known
    /// what the device offers.
    public var largerPhoto: LargerPhoto?
    /// Live Photos whose clip is still being recorded, after AVCam's `inProgressLivePhotoCapturesCount`.
    public var livePhotosInProgress: Int
    /// The movie that is being recorded; nil while none is.
    public var recording: RecordingProgress?
    /// Whether its photos can have a raw file, however it stands at this moment: `raw` is enabled, and its format, as far as
    /// it is known, is a sensor's mosaic.
    public var hasRaw: Bool

    public init(
        phase: Phase, interruption: InterruptionReason? = nil, authorization: AuthorizationStatus = .notDetermined,
        attempt: Int? = nil, failedStep: String? = nil, demands: [SessionDemand] = [], isHeld: Bool = false,
        readiness: CaptureReadiness = .notRunning, abilities: SessionAbilities = SessionAbilities(),
        cost: SessionCost? = nil, largerPhoto: LargerPhoto? = nil, livePhotosInProgress: Int = 0,
        recording: RecordingProgress? = nil, hasRaw: Bool = false
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
        self.hasRaw = hasRaw
    }
}
