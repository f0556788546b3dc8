import CaptureModel
import RigWire

/// What a viewer receives on the frames channel.
enum FrameFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let (header, payload) = try? FrameEnvelope.open(bytes.span) else { return }
        try FuzzFinding.unless((1...bytes.count).contains(payload), "the picture begins outside of the message")
        _ = header.rigDequeued
        let message = try FrameEnvelope.prefix(header) + bytes[payload...]
        let (again, start) = try FrameEnvelope.open(message.span)
        try FuzzFinding.unless(again == header, "a frame's header is passed on as another")
        try FuzzFinding.unless(message[start...] == bytes[payload...], "a frame is passed on with another picture")
        try FuzzFinding.unless(FrameTopic(header.topic.description) == header.topic, "a topic is read as another")
    }
}
