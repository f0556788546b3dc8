public import CaptureModel
public import RigWire
internal import ZeroMQ

/// A program's estimate of rig time: its clock plus an offset, within a bound.
public struct RigClockReading: Hashable, Sendable {
    public var clock: RigClockID
    /// Rig time minus this machine's clock.
    public var offset: Duration
    /// Largest error of `offset` at the time of reading.
    public var bound: Duration

    public init(clock: RigClockID, offset: Duration, bound: Duration) {
        self.clock = clock
        self.offset = offset
        self.bound = bound
    }

    /// Rig time at an instant of this machine's clock.
    public func rigTime(at local: LocalTime) -> BoundedRigTime {
        BoundedRigTime(time: RigTime(nanoseconds: local.nanoseconds) + offset, bound: bound)
    }
}

extension RigClient {
    /// Reads the rig's clock from a few requests: the quickest answer was made between its sending and its arrival.
    /// - Parameter own: This process's clock. If it is the rig's clock, nothing is read.
    public func rigClock(own: RigClockID?) async throws(RigClientError) -> RigClockReading {
        var best: RigClockReading?
        for _ in 0..<8 {
            let sent = time.now()
            let status = try await status()
            let received = time.now()
            if status.rigClock == own { return RigClockReading(clock: status.rigClock, offset: .zero, bound: .zero) }
            let bound = (received - sent) / 2
            let local = RigTime(nanoseconds: sent.nanoseconds) + bound
            if bound < best?.bound ?? .seconds(3600) {
                best = RigClockReading(clock: status.rigClock, offset: status.now - local, bound: bound)
            }
        }
        guard let best else { throw await noAnswer(to: "status", waited: patience) }
        return best
    }
}

/// A frame as a viewer received it.
public struct ReceivedFrame: Sendable {
    public var header: FrameHeader
    /// The picture, in the header's format.
    public var payload: [UInt8]
    /// Bytes of the whole message.
    public var byteCount: Int
    /// The time when it left ZeroMQ, on this machine's clock.
    public var received: LocalTime
}

extension ReceivedFrame {
    /// - Throws: `WireError` if the message is not one of the frames channel.
    init(_ message: ReceivedMessage) throws {
        guard message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
        let part = message.parts[0]
        let (header, start) = try part.withSpan { try FrameEnvelope.open($0) }
        self.init(
            header: header, payload: unsafe part.withUnsafeBytes { unsafe Array($0[start...]) }, byteCount: part.count,
            received: LocalTime(nanoseconds: message.receivedAtNanoseconds))
    }
}

extension ReceivedMessage {
    /// Whether the message only reports that its stream exists.
    var isBeat: Bool {
        parts.count == 1 && parts[0].withSpan { FrameEnvelope.isBeat($0) }
    }
}
