public import CaptureModel
public import RigProtocol
import SwiftProtobuf

/// One message of the feed as ZeroMQ transfers it, in one part: topic, one NUL byte, protobuf.
public struct FeedFrame: Hashable, Sendable {
    public let topic: FeedTopic
    /// The bytes after the NUL: a `FeedMessage`.
    public let payload: [UInt8]

    /// The most bytes of a topic, so that the search for the NUL is cheap.
    static let maximumTopicByteCount = 64

    /// Creates the frame of a message. The topic follows from its content.
    public init(_ message: WireFeedMessage) throws(WireError) {
        topic = try Self.topic(of: message)
        payload = try WireCoding.feed.encode(message)
    }

    /// Splits a received message.
    public init(bytes: [UInt8]) throws(WireError) {
        let maximum = Self.maximumTopicByteCount + 1 + WireCoding.feed.maximumByteCount
        guard bytes.count <= maximum else {
            throw WireError(
                .oversized, message: "feed", reason: "has \(bytes.count) bytes; at most \(maximum) are allowed")
        }
        guard let end = bytes.prefix(Self.maximumTopicByteCount + 1).firstIndex(of: 0),
            let text = String(validating: bytes[..<end], as: UTF8.self), let topic = FeedTopic(text)
        else {
            throw WireError(
                .malformed, message: "feed", field: "topic", reason: "must be beat or event/<name>, then NUL")
        }
        self.topic = topic
        payload = Array(bytes[(end + 1)...])
    }

    /// The single part of the ZeroMQ message.
    public var bytes: [UInt8] {
        Array(topic.description.utf8) + [0] + payload
    }

    /// Decodes the message in the payload.
    /// - Throws: ``WireError``, also if the content does not match the topic.
    public func message() throws(WireError) -> WireFeedMessage {
        let message = try WireCoding.feed.decode(WireFeedMessage.self, from: payload)
        guard try Self.topic(of: message) == topic else {
            throw WireError(
                .invalid, message: "feed", field: "topic", reason: "is \(topic), and the content has another")
        }
        return message
    }

    private static func topic(of message: WireFeedMessage) throws(WireError) -> FeedTopic {
        switch message.body {
        case .beat:
            return .beat
        case .event(let event):
            let name = EventName(rawValue: event.event.name)
            guard name.isWellFormed else {
                throw FieldReader("Event").invalid("name", "must be 1 to 56 of a-z, A-Z, 0-9, '.' and '-'")
            }
            return .event(name)
        case nil:
            throw FieldReader("FeedMessage").invalid("body", "is required and absent")
        }
    }
}

/// The topic under which a feed message is published. Subscribers use a prefix of its text.
public enum FeedTopic: Hashable, Sendable, CustomStringConvertible {
    /// `event/<name>`.
    case event(EventName)
    /// `beat`.
    case beat

    /// The prefix that subscribes to every event.
    public static let everyEvent = "event/"

    /// - Returns: nil unless the text is a topic of this version.
    public init?(_ text: String) {
        if text == "beat" {
            self = .beat
        } else if text.hasPrefix(Self.everyEvent) {
            let name = EventName(rawValue: String(text.dropFirst(Self.everyEvent.count)))
            guard name.isWellFormed else { return nil }
            self = .event(name)
        } else {
            return nil
        }
    }

    public var description: String {
        switch self {
        case .event(let name): Self.everyEvent + name.rawValue
        case .beat: "beat"
        }
    }
}
