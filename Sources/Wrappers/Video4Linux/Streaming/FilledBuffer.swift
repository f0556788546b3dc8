import CVideo4Linux

/// What a driver says of a buffer it has filled (`VIDIOC_DQBUF`).
public struct FilledBuffer: Hashable, Sendable {
    /// Which clock the time stamp was read from.
    public enum StampClock: Hashable, Sendable {
        /// `CLOCK_MONOTONIC`.
        case monotonic
        /// Not told, or copied from elsewhere.
        case unknown
    }

    /// The instant of a frame that its time stamp names.
    public enum StampSource: Hashable, Sendable {
        /// The last pixel has been received, or a little later.
        case endOfFrame
        /// The exposure has begun.
        case startOfExposure
        /// A source of a number this build does not know.
        case unknown
    }

    /// Which buffer; its bytes are this process's until it is queued again.
    public var index: UInt32
    /// What its memory planes hold, in their order.
    public var planes: [FilledPlane]
    /// The driver's frame counter, which wraps; a gap means frames that were not handed over.
    public var sequence: UInt32
    /// Nanoseconds on the stamp's clock; nil for a stamp that is no time.
    public var stampNanoseconds: Int64?
    public var stampClock: StampClock
    public var stampSource: StampSource
    /// Whether the data may be corrupted (`V4L2_BUF_FLAG_ERROR`); the buffer can be queued again.
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
