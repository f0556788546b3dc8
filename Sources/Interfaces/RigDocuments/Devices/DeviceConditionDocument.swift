internal import CaptureModel

/// The condition of a device, wherever a document has one.
struct DeviceConditionDocument: Encodable {
    var counters: Counters
    var format: Format?
    var phase: Phase?
    var reason: String?
    var session: SessionConditionDocument?
    var stamps: CameraStampsDocument?
    var state: DeviceCondition.State

    /// Frames by outcome.
    struct Counters: Encodable {
        var damaged: Integer64
        var delivered: Integer64
        var droppedByDevice: Integer64
        var droppedByNode: Integer64
        var flaggedErroneous: Integer64
        var stalls: Integer64
        var torn: Integer64
        var trimmed: Integer64
    }

    /// The format of a camera's stream.
    struct Format: Encodable {
        var frameIntervalNanoseconds: Integer64
        var height: Int
        var pixelFormat: PixelFormat
        var width: Int
    }

    /// The phase of a camera's exposures.
    struct Phase: Encodable {
        /// Absent if the agent does not report it.
        var boundNanoseconds: Integer64?
        /// Rig time, nanoseconds.
        var midExposure: Integer64
        /// Absent if the agent does not report it.
        var periodBoundNanoseconds: Integer64?
        var periodNanoseconds: Integer64
    }

    init(_ condition: DeviceCondition) {
        counters = Counters(condition.counters)
        format = condition.format.map(Format.init)
        phase = condition.phase.map { phase in
            Phase(
                boundNanoseconds: phase.boundNanoseconds.map(Integer64.init),
                midExposure: Integer64(phase.midExposure.nanoseconds),
                periodBoundNanoseconds: phase.periodBoundNanoseconds.map(Integer64.init),
                periodNanoseconds: Integer64(phase.periodNanoseconds))
        }
        reason = condition.reason
        session = condition.session.map(SessionConditionDocument.init)
        stamps = condition.stamps.map(CameraStampsDocument.init)
        state = condition.state
    }
}

extension DeviceConditionDocument.Counters {
    fileprivate init(_ counters: FrameCounters) {
        damaged = Integer64(counters.damaged)
        delivered = Integer64(counters.delivered)
        droppedByDevice = Integer64(counters.droppedByDevice)
        droppedByNode = Integer64(counters.droppedByNode)
        flaggedErroneous = Integer64(counters.flaggedErroneous)
        stalls = Integer64(counters.stalls)
        torn = Integer64(counters.torn)
        trimmed = Integer64(counters.trimmed)
    }
}

extension DeviceConditionDocument.Format {
    fileprivate init(_ format: VideoFormat) {
        frameIntervalNanoseconds = Integer64(format.frameIntervalNanoseconds)
        height = format.height
        pixelFormat = format.pixelFormat
        width = format.width
    }
}
