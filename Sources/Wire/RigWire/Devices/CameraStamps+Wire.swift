import CaptureModel
import FoundationEssentials
import RigProtocol

extension CameraStamps {
    /// nil if they are of an origin that this version does not know, or were corrected by the measurement of such stamps.
    init?(wire: WireCameraStamps) throws(WireError) {
        let isKnown = wire.correction.measuresKnownStamps
        let correction = wire.hasCorrection && isKnown ? try StampCorrection(wire: wire.correction) : nil
        guard isKnown, let origin = StampOrigin(rawValue: wire.origin) else { return nil }
        self.init(origin, correction: correction)
    }

    var wire: WireCameraStamps {
        var wire = WireCameraStamps()
        wire.origin = origin.rawValue
        if let correction { wire.correction = correction.wire }
        return wire
    }
}

extension StampCorrection {
    private static let offset: ClosedRange<Int64> = -1_000_000_000...1_000_000_000
    private static let duration: ClosedRange<Int64> = 0...1_000_000_000

    init(wire: WireStampCorrection) throws(WireError) {
        let reader = FieldReader("StampCorrection")
        func duration(_ value: Int64, _ field: String) throws(WireError) -> Duration {
            .nanoseconds(try reader.number(value, field, in: Self.duration))
        }
        self.init(
            latencyOffset: .nanoseconds(
                try reader.number(wire.latencyOffsetNs, "latency_offset_ns", in: Self.offset)),
            readout: try duration(wire.readoutNs, "readout_ns"),
            uncertainty: wire.hasUncertaintyNs ? try duration(wire.uncertaintyNs, "uncertainty_ns") : nil,
            measuredExposure: wire.hasMeasuredExposureNs
                ? try duration(wire.measuredExposureNs, "measured_exposure_ns") : nil,
            measuredFormat: wire.hasMeasuredFormat
                ? wire.measuredFormat.sentence(limit: Self.formatByteCount) : nil,
            measuredOn: wire.hasMeasuredOn ? CalendarDay(wire.measuredOn) : nil,
            measuredStamps: try wire.knownMeasuredStamps(reader),
            sharedError: wire.hasMeasurementID || wire.hasSharedErrorNs
                ? SharedError(
                    try reader.measurementID(wire.measurementID),
                    bound: try duration(wire.sharedErrorNs, "shared_error_ns")) : nil)
        guard isConsistent else { throw reader.invalid("shared_error_ns", "is more than uncertainty_ns") }
    }

    var wire: WireStampCorrection {
        var wire = WireStampCorrection()
        wire.latencyOffsetNs = latencyOffset.nanoseconds
        wire.readoutNs = readout.nanoseconds
        if let uncertainty { wire.uncertaintyNs = uncertainty.nanoseconds }
        if let measuredExposure { wire.measuredExposureNs = measuredExposure.nanoseconds }
        if let measuredFormat { wire.measuredFormat = measuredFormat }
        if let measuredOn { wire.measuredOn = measuredOn.description }
        if let measuredStamps { wire.measuredStamps = measuredStamps.rawValue }
        if let sharedError {
            wire.measurementID = Data(sharedError.measurement.bytes)
            wire.sharedErrorNs = sharedError.boundNanoseconds
        }
        return wire
    }
}

extension WireStampCorrection {
    /// Whether this version knows the stamps that were measured. Otherwise it cannot know which the correction is for.
    fileprivate var measuresKnownStamps: Bool {
        !hasMeasuredStamps || StampOrigin(rawValue: measuredStamps) != nil
    }

    fileprivate func knownMeasuredStamps(_ reader: FieldReader) throws(WireError) -> StampOrigin? {
        guard hasMeasuredStamps else { return nil }
        guard let origin = StampOrigin(rawValue: measuredStamps) else {
            throw reader.invalid("measured_stamps", "is not a word of this version")
        }
        return origin
    }
}
