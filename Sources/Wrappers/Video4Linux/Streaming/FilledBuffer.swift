import CVideo4Linux

/// A driver's description of a buffer that it has filled (`VIDIOC_DQBUF`).
public struct FilledBuffer: Hashable, Sendable {
    /// The clock of the time stamp.
    public enum StampClock: Hashable, Sendable {
        /// `CLOCK_MONOTONIC`.
        case monotonic
        /// Not reported, or copied from another buffer.
        case unknown
    }

    /// The instant of a frame that its time stamp describes.
    public enum StampSource: Hashable, Sendable {
        /// The last pixel has been received, or a little later.
        case endOfFrame
        /// The exposure has begun.
        case startOfExposure
        /// A source that this build does not know.
        case unknown
    }

    /// The buffer's number. Its bytes belong to this process until it is queued again.
    public var index: UInt32
    /// The filled parts of its memory planes, in order.
    public var planes: [FilledPlane]
    /// The driver's frame counter, which wraps. A gap means frames that were not delivered.
    public var sequence: UInt32
    /// Nanoseconds on the stamp's clock; nil if the stamp is not a time.
    public var stampNanoseconds: Int64?
    public var stampClock: StampClock
    public var stampSource: StampSource
    /// Whether the data may be corrupted (`V4L2_BUF_FLAG_ERROR`). The buffer can be queued again.
    public var isErroneous: Bool

    public init(
        index: UInt32, planes: [FilledPlane], sequence: UInt32, stampNanoseconds: Int64?, stampClock: StampClock,
        stampSource: StampSource, isErroneous: Bool = false
    ) {
        self.index = index
        self.planes = planes
        self.sequence = sequence
        self.stampNanoseconds = stampNanoseconds
        self.stampClock = stampClock
        self.stampSource = stampSource
        self.isErroneous = isErroneous
    }

    init(_ frame: cv4l_frame) {
        let (scaled, overflow) = frame.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let isTime = !overflow && scaled >= 0 && (0..<1_000_000).contains(frame.microseconds)
        let (sum, overflowed) = scaled.addingReportingOverflow(isTime ? frame.microseconds * 1000 : 0)
        self.init(
            index: frame.index,
            planes: fixedArray(frame.planes, of: cv4l_filled_plane.self, count: frame.plane_count).map(
                FilledPlane.init),
            sequence: frame.sequence,
            stampNanoseconds: isTime && !overflowed ? sum : nil,
            stampClock: StampClock(flags: frame.flags), stampSource: StampSource(flags: frame.flags),
            isErroneous: frame.flags & UInt32(CV4L_BUF_FLAG_ERROR) != 0)
    }
}

extension FilledBuffer.StampClock {
    /// Reads `V4L2_BUF_FLAG_TIMESTAMP_*`.
    public init(flags: UInt32) {
        let clock = flags & UInt32(CV4L_BUF_FLAG_TIMESTAMP_MASK)
        self = clock == UInt32(CV4L_BUF_FLAG_TIMESTAMP_MONOTONIC) ? .monotonic : .unknown
    }
}

extension FilledBuffer.StampSource {
    /// Reads `V4L2_BUF_FLAG_TSTAMP_SRC_*`.
    public init(flags: UInt32) {
        switch flags & UInt32(CV4L_BUF_FLAG_TSTAMP_SRC_MASK) {
        case 0: self = .endOfFrame
        case UInt32(CV4L_BUF_FLAG_TSTAMP_SRC_SOE): self = .startOfExposure
        default: self = .unknown
        }
    }
}

/// The bytes of a memory plane that the driver has filled.
public struct FilledPlane: Hashable, Sendable {
    /// The start of the picture's bytes, counted from the start of the memory plane.
    public var offset: Int
    /// The end of the picture's bytes, counted from the start of the memory plane.
    public var end: Int

    public init(offset: Int = 0, end: Int) {
        self.offset = offset
        self.end = end
    }

    init(_ plane: cv4l_filled_plane) {
        self.init(offset: Int(plane.data_offset), end: Int(plane.bytes_used))
    }
}
