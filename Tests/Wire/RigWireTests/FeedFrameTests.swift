import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import Testing

@Suite struct FeedFrameTests {
    @Test("A subscriber cannot find the message behind its topic", arguments: 1...20)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let event = try generator.feedEvent()
        var message = WireFeedMessage()
        message.event = event.wire
        let frame = try FeedFrame(message)
        #expect(frame.topic == .event(event.source.event.name))
        #expect(frame.bytes.starts(with: Array("event/\(event.source.event.name)\0".utf8)))
        let arrived = try FeedFrame(bytes: frame.bytes)
        #expect(arrived == frame)
        #expect(try FeedEvent(wire: arrived.message().event) == event)
    }

    @Test("A beat is published under a topic nobody subscribes to")
    func beat() throws {
        var message = WireFeedMessage()
        message.beat.lastSequence = 7
        let frame = try FeedFrame(message)
        #expect(frame.bytes.starts(with: Array("beat\0".utf8)))
        #expect(try FeedFrame(bytes: frame.bytes).message().beat.lastSequence == 7)
    }

    @Test(
        "A subscriber falls over bytes that are no feed message",
        arguments: [
            "", "\0", "beat", "event/\0", "event/a b\0", "other\0", "event/" + String(repeating: "a", count: 57) + "\0",
            String(repeating: "a", count: 100_000), "event/\u{E9}\0",
        ])
    func hostileTopic(text: String) {
        #expect(throws: WireError.self) { try FeedFrame(bytes: Array(text.utf8)) }
    }

    @Test("A subscriber takes an event for another than it is")
    func topicAndContentDiffer() throws {
        var message = WireFeedMessage()
        message.beat.lastSequence = 7
        let payload = try FeedFrame(message).payload
        let frame = try FeedFrame(bytes: Array("event/device.running\0".utf8) + payload)
        #expect(throws: WireError.self) { try frame.message() }
        let empty = try FeedFrame(bytes: Array("beat\0".utf8))
        #expect(throws: WireError.self) { try empty.message() }
        #expect(throws: WireError.self) { try FeedFrame(WireFeedMessage()) }
    }
}
