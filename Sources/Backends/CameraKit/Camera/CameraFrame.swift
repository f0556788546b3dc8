public import CaptureModel

/// One frame as the driver delivered it, with its stamps. Valid until its lease is released.
public struct CameraFrame: Sendable {
    /// The kind of pixel data, by the family of the stream's pixel format. Valid as long as its lease.
    public enum Payload: Sendable {
        /// A compressed image, and trailing bytes of the driver.
        case jpeg(FrameLease)
        /// Packed samples of luma, chroma or colors, from which a picture can be encoded.
        case planes(FrameLease)
        /// Packed samples of a sensor's color mosaic, from which a picture can be developed.
        case mosaic(FrameLease)

        public init(_ lease: FrameLease, of format: PixelFormat) {
            self =
                switch format.family {
                case .jpeg: .jpeg(lease)
                case .packed422, .semiPlanar420, .planar420, .gray, .rgb: .planes(lease)
                case .bayer: .mosaic(lease)
                }
        }

        public var lease: FrameLease {
            get {
                switch self {
                case .jpeg(let lease), .planes(let lease), .mosaic(let lease): lease
                }
            }
            set {
                self =
                    switch self {
                    case .jpeg: .jpeg(newValue)
                    case .planes: .planes(newValue)
                    case .mosaic: .mosaic(newValue)
                    }
            }
        }
    }

    /// The driver's sequence number, widened so that it never wraps.
    public var sequence: UInt64
    /// Mid-exposure on this machine's clock.
    public var midExposure: LocalTime
    /// Largest error of `midExposure` compared with the true mid-exposure, as far as driver and configuration report
    /// it.
    public var stampBound: Duration
    /// What the stamp of this frame was; nil if all of the camera's are of one origin.
    public var stampOrigin: StampOrigin?
    /// Whether `midExposure` is a stamp with a measured correction, whose uncertainty is part of `stampBound`.
    public var isCorrected: Bool
    /// Exposure time, if the camera reports it.
    public var exposure: Duration?
    /// Gain in the units of the camera's control, if the camera reports it.
    public var gain: Int64?
    /// When the frame was taken from the driver.
    public var dequeued: LocalTime
    /// Whether the driver flagged the frame as erroneous (`V4L2_BUF_FLAG_ERROR`).
    public var isFlaggedErroneous: Bool
    /// What the camera tells of its samples, if it tells it with the frame. Without meaning if they are not a mosaic.
    public var sensorColor: SensorColor?
    /// The pixel data, in the stream's pixel format.
    public var payload: Payload

    public init(
        sequence: UInt64, midExposure: LocalTime, stampBound: Duration, stampOrigin: StampOrigin? = nil,
        isCorrected: Bool = false, exposure: Duration? = nil, gain: Int64? = nil, dequeued: LocalTime,
        isFlaggedErroneous: Bool = false, sensorColor: SensorColor? = nil, payload: Payload
    ) {
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.stampOrigin = stampOrigin
        self.isCorrected = isCorrected
        self.exposure = exposure
        self.gain = gain
        self.dequeued = dequeued
        self.isFlaggedErroneous = isFlaggedErroneous
        self.sensorColor = sensorColor
        self.payload = payload
    }

    /// The bytes of the pixel data.
    public var lease: FrameLease {
        get { payload.lease }
        set { payload.lease = newValue }
    }
}

/// Borrowed pixel data of one frame. Releasing the last reference returns a driver's buffer to its camera.
///
/// A lease is immutable and may be read from any thread.
public final class FrameLease: Sendable {
    // The guard of the unchecked conformance: the bytes are written before the lease is made, never after, and stay
    // mapped until `release` has been called, which happens once, in deinit.
    @safe private enum Storage: @unchecked Sendable {
        case owned([UInt8])
        case borrowed(UnsafeRawBufferPointer, release: @Sendable () -> Void)
    }

    private let storage: Storage

    /// Creates a lease on bytes that do not belong to a driver.
    public init(_ bytes: [UInt8]) {
        storage = .owned(bytes)
    }

    /// Creates a lease on a driver's buffer.
    /// - Parameters:
    ///   - buffer: Bytes that stay valid and unchanged until `release` is called.
    ///   - release: Called once, on any thread, when the lease ends; must not block.
    public init(borrowing buffer: UnsafeRawBufferPointer, release: @escaping @Sendable () -> Void) {
        storage = unsafe .borrowed(buffer, release: release)
    }

    deinit {
        if case .borrowed(_, let release) = storage {
            release()
        }
    }

    /// Number of bytes of pixel data.
    public var byteCount: Int {
        switch storage {
        case .owned(let bytes): bytes.count
        case .borrowed(let buffer, _): buffer.count
        }
    }

    /// Calls `body` with the pixel data, which is valid only within the call.
    public func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        switch storage {
        case .owned(let bytes): try body(unsafe bytes.span.bytes)
        case .borrowed(let buffer, _): try body(unsafe RawSpan(_unsafeBytes: buffer))
        }
    }

    /// The pixel data as an array; without copying if the lease owns it.
    public var bytes: [UInt8] {
        switch storage {
        case .owned(let bytes): bytes
        case .borrowed(let buffer, _): unsafe [UInt8](buffer)
        }
    }
}
