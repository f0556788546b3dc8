internal import CaptureModel

/// What a camera's timestamps are, wherever a document has them.
struct CameraStampsDocument: Encodable {
    var correction: StampCorrectionDocument?
    var origin: StampOrigin

    init(_ stamps: CameraStamps) {
        correction = stamps.correction.map(StampCorrectionDocument.init)
        origin = stamps.origin
    }
}

/// The correction of a camera's timestamps, as its node's configuration has it or should have it.
struct StampCorrectionDocument: Encodable {
    var latencyOffsetNanoseconds: Integer64
    var measuredExposureNanoseconds: Integer64?
    var measuredFormat: String?
    var measuredOn: CalendarDay?
    var measuredStamps: StampOrigin?
    var measurement: MeasurementID?
    var readoutNanoseconds: Integer64
    var sharedUncertaintyNanoseconds: Integer64?
    var uncertaintyNanoseconds: Integer64?

    init(_ correction: StampCorrection) {
        latencyOffsetNanoseconds = Integer64(correction.latencyOffset.nanoseconds)
        measuredExposureNanoseconds = correction.measuredExposure.map { Integer64($0.nanoseconds) }
        measuredFormat = correction.measuredFormat
        measuredOn = correction.measuredOn
        measuredStamps = correction.measuredStamps
        measurement = correction.sharedError?.measurement
        readoutNanoseconds = Integer64(correction.readout.nanoseconds)
        sharedUncertaintyNanoseconds = correction.sharedError.map { Integer64($0.boundNanoseconds) }
        uncertaintyNanoseconds = correction.uncertainty.map { Integer64($0.nanoseconds) }
    }
}
