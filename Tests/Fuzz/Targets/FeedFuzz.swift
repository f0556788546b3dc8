import CaptureModel
import RigProtocol
import RigWire

/// What a subscriber of the feed receives.
enum FeedFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let frame = try? FeedFrame(bytes: bytes), let message = try? frame.message() else { return }
        try FuzzFinding.unless(try FeedFrame(message).topic == frame.topic, "an event is published under another topic")
        guard case .event(let event)? = message.body else { return }
        try WireAgreement.check(event, { try FeedEvent(wire: $0) }, { $0.wire })
    }
}
