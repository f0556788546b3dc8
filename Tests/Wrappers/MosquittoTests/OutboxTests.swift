import Testing

@testable import Mosquitto

@Suite struct OutboxTests {
    private func message(_ topic: String, _ payload: String = "x") -> MQTTMessage {
        MQTTMessage(topic, Array(payload.utf8))
    }

    private func texts(_ outbox: Outbox) -> [String] {
        var (outbox, texts) = (outbox, [String]())
        while let message = outbox.removeNext() {
            texts.append("\(message.topic)=\(String(decoding: message.payload, as: UTF8.self))")
        }
        return texts
    }

    @Test func `Of states of a topic the newest is sent, in the place of the first`() {
        var outbox = Outbox()
        outbox.add(message("a", "1"), .state)
        outbox.add(message("b", "1"), .state)
        outbox.add(message("a", "2"), .state)
        #expect(texts(outbox) == ["a=2", "b=1"])
        #expect(outbox.dropped == 0)
    }

    @Test func `Every event is sent, in order`() {
        var outbox = Outbox()
        for number in 1...3 { outbox.add(message("e", "\(number)"), .event) }
        #expect(texts(outbox) == ["e=1", "e=2", "e=3"])
    }

    @Test func `States and events take turns, so that neither waits for ever`() {
        var outbox = Outbox()
        for number in 1...3 {
            outbox.add(message("s\(number)"), .state)
            outbox.add(message("e\(number)"), .event)
        }
        #expect(texts(outbox) == ["e1=x", "s1=x", "e2=x", "s2=x", "e3=x", "s3=x"])
    }

    @Test func `Beyond the bound the oldest event is dropped and counted`() {
        var outbox = Outbox(Outbox.Limits(events: 2))
        for number in 1...5 { outbox.add(message("e", "\(number)"), .event) }
        #expect(texts(outbox) == ["e=4", "e=5"])
        #expect(outbox.dropped == 3)
    }

    @Test func `The bytes of events are bounded too`() {
        var outbox = Outbox(Outbox.Limits(eventBytes: 5))
        outbox.add(message("e", "1234"), .event)
        outbox.add(message("e", "567"), .event)
        outbox.add(message("e", "longer than all"), .event)
        #expect(texts(outbox) == ["e=567"])
        #expect(outbox.dropped == 2)
    }

    @Test func `Beyond the bound a state of a further topic is dropped, and those of known topics are replaced`() {
        var outbox = Outbox(Outbox.Limits(states: 2, stateBytes: 10))
        outbox.add(message("a", "1"), .state)
        outbox.add(message("b", "1"), .state)
        outbox.add(message("c", "1"), .state)
        outbox.add(message("b", "22"), .state)
        outbox.add(message("a", "12345678901"), .state)
        #expect(texts(outbox) == ["a=1", "b=22"])
        #expect(outbox.dropped == 2)
    }

    @Test func `Room is there again once messages are sent`() {
        var outbox = Outbox(Outbox.Limits(states: 1, stateBytes: 2, events: 1, eventBytes: 2))
        for _ in 1...3 {
            outbox.add(message("s", "12"), .state)
            outbox.add(message("e", "12"), .event)
            #expect(texts(outbox).sorted() == ["e=12", "s=12"])
            while outbox.removeNext() != nil {}
        }
        #expect(outbox.isEmpty)
        #expect(outbox.dropped == 0)
    }
}
