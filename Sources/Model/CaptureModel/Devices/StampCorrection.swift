/// The measured correction of a camera's timestamps, as its node's configuration states it. The default means that nothing
/// was measured.
public struct StampCorrection: Hashable, Codable, Sendable {
    /// Added to every timestamp; negative for a camera that stamps late. uvcvideo reports "start of exposure" but stamps
    /// the arrival of the first USB payload.
    public var latencyOffset: Duration
    /// From the middle line's end of exposure to the arrival of the last pixel. Used for stamps made at the end of a frame.
    public var readout: Duration
    /// The largest error of the two; nil if they were not measured, which counts as a frame interval.
    public var uncertainty: Duration?
    /// The exposure time at which `latencyOffset` was measured; nil if that is not stated.
    public var measuredExposure: Duration?
    /// The format in which it was measured, as ``VideoFormat/description``; nil if that is not stated.
    public var measuredFormat: String?
    /// The day of the measurement; nil if that is not stated.
    public var measuredOn: CalendarDay?
    /// The stamps that were measured: the correction holds for no others. nil for those of a driver, and for a camera with stamps of
    /// one origin only.
    public var measuredStamps: StampOrigin?
    /// The part of `uncertainty`, at most all of it, that is the same error for all cameras that were measured at once; nil if that is
    /// not known.
    public var sharedError: SharedError?

    /// The longest text of a format.
    public static let formatByteCount = 64

    public init(
        latencyOffset: Duration = .zero, readout: Duration = .zero, uncertainty: Duration? = nil,
        measuredExposure: Duration? = nil, measuredFormat: String? = nil, measuredOn: CalendarDay? = nil,
        measuredStamps: StampOrigin? = nil, sharedError: SharedError? = nil
    ) {
        self.latencyOffset = latencyOffset
        self.readout = readout
        self.uncertainty = uncertainty
        self.measuredExposure = measuredExposure
        self.measuredFormat = measuredFormat
        self.measuredOn = measuredOn
        self.measuredStamps = measuredStamps
        self.sharedError = sharedError
    }

    /// Whether the shared error, if there is one, is a part of the uncertainty.
    public var isConsistent: Bool {
        guard let sharedError else { return true }
        return .zero <= sharedError.bound && sharedError.bound <= uncertainty ?? .zero
    }

    /// Whether it holds for the stamps of an origin, of a camera with stamps of several: both are of the camera's clock, or neither is.
    public func holds(for origin: StampOrigin) -> Bool {
        (measuredStamps == .cameraClock) == (origin == .cameraClock)
    }

    /// Whether it holds for a format: it was measured in it, or it is not stated in which one.
    public func holds(in format: VideoFormat) -> Bool {
        measuredFormat.map { $0 == format.description } ?? true
    }

    /// Returns the part of the error of a frame's instant that it shares with the cameras that were measured at once; nil unless the
    /// frame is like those that were measured. In another exposure mode, it is exposed for another time.
    /// - Parameters:
    ///   - format: Of the frame's stream.
    ///   - exposure: Of the frame; nil if the camera does not report it.
    public func sharedError(in format: VideoFormat, exposure: Duration?) -> SharedError? {
        guard isConsistent, measuredFormat != nil, holds(in: format) else { return nil }
        switch (measuredExposure, exposure) {
        case (nil, nil): return sharedError
        case (let measured?, let exposure?):
            let tolerance = max(measured / 50, .microseconds(200))
            return (exposure - measured).magnitude <= tolerance ? sharedError : nil
        case (nil, _?), (_?, nil): return nil
        }
    }
}
