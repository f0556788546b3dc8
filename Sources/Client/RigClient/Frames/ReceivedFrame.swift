public import CaptureModel
public import RigWire
internal import ZeroMQ

/// A frame as a viewer received it.
public struct ReceivedFrame: Sendable {
    public var header: FrameHeader
    /// The picture, in the header's format.
    public var payload: [UInt8]
    /// Bytes of the whole message.
    public var byteCount: Int
    /// When it came out of ZeroMQ, on this machine's clock.
    public var received: LocalTime
}

extension ReceivedFrame {
    /// - Throws: `WireError` where the message is none of the frames channel.
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
    /// Whether it says no more than that its stream is there.
    var isBeat: Bool {
        parts.count == 1 && parts[0].withSpan { FrameEnvelope.isBeat($0) }
    }
}
