public import CaptureModel

/// What `capctl sync calibrate` has measured, as JSON. A calibration holds for the make, model, format and exposure mode that
/// stand beside it.
public struct ScreenCalibrationDocument: Encodable, Sendable {
    var cameras: [Camera]
    /// The screen's lag, as far as it is known: at least and at most.
    var screenLagLeastNanoseconds: Integer64
    var screenLagMostNanoseconds: Integer64

    public init(cameras: [Camera], least: Duration, most: Duration) {
        self.cameras = cameras
        screenLagLeastNanoseconds = Integer64(least.nanoseconds)
        screenLagMostNanoseconds = Integer64(most.nanoseconds)
    }

    public struct Camera: Encodable, Sendable {
        /// The keys of the device in the configuration of its node.
        var configuration: StampCorrectionDocument?
        var device: DeviceID
        var exposureMode: String?
        /// With its rate, as in `MJPG 1280x720 30 fps`.
        var format: String?
        var make: String?
        var model: String?
        /// Why it was not measured.
        var problem: String?
        var timing: Timing?

        public init(
            _ device: DeviceID, _ details: DeviceDetails?, exposureMode: String?, timing: Timing?,
            stamps: StampCorrection?, problem: String?
        ) {
            self.device = device
            self.exposureMode = exposureMode
            format = details?.condition.format?.description
            (make, model) = (details?.device.make, details?.device.model)
            configuration = stamps.map(StampCorrectionDocument.init)
            self.timing = timing
            self.problem = problem
        }
    }

    public struct Timing: Encodable, Sendable {
        /// How long a switch takes in the pictures.
        var blurNanoseconds: Integer64
        /// The largest error of the clocks.
        var clockBoundNanoseconds: Integer64
        /// What to add to the present stamps, with the middle of the screen's lag.
        var correctionNanoseconds: Integer64
        /// How wrong the correction may be for lack of switches at other places of a frame.
        var fitNanoseconds: Integer64
        /// How far single stamps deviate.
        var jitterNanoseconds: Integer64
        var pictures: Int
        /// What to add to the present stamps if the screen had no lag: for comparison with other cameras at it.
        var relativeNanoseconds: Integer64
        /// From the first row to the last; absent if the screen is seen in too few rows.
        var rowsNanoseconds: Integer64?
        var rowsErrorNanoseconds: Integer64?
        /// How wrong the correction may be because the screen is not in the middle of the pictures.
        var scanNanoseconds: Integer64
        var switches: Int
        /// The largest error of a corrected stamp, the screen's lag included.
        var uncertaintyNanoseconds: Integer64

        public init(
            blur: Duration, clock: Duration, correction: Duration, fit: Duration, jitter: Duration, pictures: Int,
            relative: Duration, rows: Duration?, rowsError: Duration, scan: Duration, switches: Int,
            uncertainty: Duration
        ) {
            blurNanoseconds = Integer64(blur.nanoseconds)
            clockBoundNanoseconds = Integer64(clock.nanoseconds)
            correctionNanoseconds = Integer64(correction.nanoseconds)
            fitNanoseconds = Integer64(fit.nanoseconds)
            jitterNanoseconds = Integer64(jitter.nanoseconds)
            self.pictures = pictures
            relativeNanoseconds = Integer64(relative.nanoseconds)
            rowsNanoseconds = rows.map { Integer64($0.nanoseconds) }
            rowsErrorNanoseconds = rows.map { _ in Integer64(rowsError.nanoseconds) }
            scanNanoseconds = Integer64(scan.nanoseconds)
            self.switches = switches
            uncertaintyNanoseconds = Integer64(uncertainty.nanoseconds)
        }
    }
}

/// What `capctl sync verify` has found, as JSON.
public struct ScreenVerificationDocument: Encodable, Sendable {
    var cameras: [Camera]

    public init(cameras: [Camera]) { self.cameras = cameras }

    public enum Verdict: String, Encodable, Sendable {
        case good, drifted, notMeasured
    }

    public struct Camera: Encodable, Sendable {
        /// The largest error that its stamps claim.
        var boundNanoseconds: Integer64
        /// What would have to be added to its stamps; absent if it was not measured.
        var correctionNanoseconds: Integer64?
        var device: DeviceID
        var problem: String?
        var uncertaintyNanoseconds: Integer64?
        var verdict: Verdict

        public init(
            _ device: DeviceID, bound: Duration, off: (correction: Duration, uncertainty: Duration)?, verdict: Verdict,
            problem: String?
        ) {
            self.device = device
            boundNanoseconds = Integer64(bound.nanoseconds)
            correctionNanoseconds = off.map { Integer64($0.correction.nanoseconds) }
            uncertaintyNanoseconds = off.map { Integer64($0.uncertainty.nanoseconds) }
            self.verdict = verdict
            self.problem = problem
        }
    }
}
