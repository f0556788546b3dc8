internal import CaptureModel

/// The condition of a device's session, in the condition of the device.
struct SessionConditionDocument: Encodable {
    var abilities: SessionAbilities
    var alignment: AlignmentDocument?
    var attempt: Int?
    var authorization: AuthorizationStatus
    var cost: Cost?
    var demands: [SessionDemand]
    var failedStep: String?
    var hasRaw: Bool
    var interruption: InterruptionReason?
    var isHeld: Bool
    var largerPhoto: Larger?
    var livePhotosInProgress: Int
    var phase: SessionCondition.Phase
    var readiness: CaptureReadiness
    var recording: Recording?

    /// What the camera costs its node while it runs.
    struct Cost: Encodable {
        var bus: Bus?
        var encodePermille: Int
        var ringBytes: Integer64
        var ringLimitBytes: Integer64
        var streamBytesPerSecond: Integer64

        struct Bus: Encodable {
            var limitBytesPerSecond: Integer64
            var number: Int
        }
    }

    /// The stills that are larger than the stream's frames.
    struct Larger: Encodable {
        var dimensions: PixelSize
        var leadNanoseconds: Integer64
    }

    /// A recording in progress.
    struct Recording: Encodable {
        var byteCount: Integer64
        var durationNanoseconds: Integer64
        var frameCount: Int
        var segmentNumber: Int
        var take: ShotID
    }

    init(_ session: SessionCondition) {
        abilities = session.abilities
        alignment = session.alignment.map(AlignmentDocument.init)
        attempt = session.attempt
        authorization = session.authorization
        cost = session.cost.map(Cost.init)
        demands = session.demands
        failedStep = session.failedStep
        hasRaw = session.hasRaw
        interruption = session.interruption
        isHeld = session.isHeld
        largerPhoto = session.largerPhoto.map { larger in
            Larger(dimensions: larger.dimensions, leadNanoseconds: Integer64(larger.leadNanoseconds))
        }
        livePhotosInProgress = session.livePhotosInProgress
        phase = session.phase
        readiness = session.readiness
        recording = session.recording.map(Recording.init)
    }
}

extension SessionConditionDocument.Cost {
    fileprivate init(_ cost: SessionCost) {
        bus = cost.bus.map { bus in
            Bus(limitBytesPerSecond: Integer64(bus.limitBytesPerSecond), number: bus.number)
        }
        encodePermille = cost.encodePermille
        ringBytes = Integer64(cost.ringBytes)
        ringLimitBytes = Integer64(cost.ringLimitBytes)
        streamBytesPerSecond = Integer64(cost.streamBytesPerSecond)
    }
}

extension SessionConditionDocument.Recording {
    fileprivate init(_ recording: RecordingProgress) {
        byteCount = Integer64(recording.byteCount)
        durationNanoseconds = Integer64(recording.durationNanoseconds)
        frameCount = recording.frameCount
        segmentNumber = recording.segmentNumber
        take = recording.take
    }
}
