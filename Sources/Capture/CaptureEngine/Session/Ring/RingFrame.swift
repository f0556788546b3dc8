import DequeModule

/// A frame as the ring keeps it.
public typealias RingFrame = StampedFrame<FramePayload>
