import CZeroMQ
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10)))
struct PublishTests {
    private func connected(
        _ rig: TestRig, _ options: SocketOptions = .init()
    ) async throws -> (publisher: PublisherSocket, subscriber: SubscriberSocket, endpoint: String) {
        let (publisher, subscriber) = (try rig.publisher(), try rig.subscriber(options))
        let endpoint = try await publisher.bind(to: "tcp://127.0.0.1:*")
        try await subscriber.connect(to: endpoint)
        return (publisher, subscriber, endpoint)
    }

    @Test("Delivers what begins with the subscriber's prefix, and tells the publisher what is wanted")
    func prefixes() async throws {
        try await TestRig.run { rig in
            let (publisher, subscriber, _) = try await connected(rig)
            #expect(await !publisher.hasSubscribers("a/1"))
            try await subscriber.subscribe("a/")
            var changes = publisher.subscriptions.makeAsyncIterator()
            #expect(await changes.next() == SubscriptionChange(topic: Array("a/".utf8), isSubscribed: true))
            #expect(await publisher.hasSubscribers("a/1"))
            #expect(await !publisher.hasSubscribers("b/1"))
            #expect(await publisher.subscribedTopics == [Array("a/".utf8)])

            for text in ["b/1 no", "a/1 yes", "a no", "a/2 yes"] {
                #expect(await publisher.publish(Message(text: text)) == .sent)
            }
            #expect(await subscriber.receive()?.texts == ["a/1 yes"])
            #expect(await subscriber.receive()?.texts == ["a/2 yes"])

            try await subscriber.unsubscribe("a/")
            #expect(await changes.next() == SubscriptionChange(topic: Array("a/".utf8), isSubscribed: false))
            #expect(await !publisher.hasSubscribers("a/1"))
        }
    }

    @Test("Accepts topics of 64 bytes, and refuses longer ones at the subscriber")
    func topicLength() async throws {
        try await TestRig.run { rig in
            let (publisher, subscriber, _) = try await connected(rig)
            let longest = [UInt8](repeating: 65, count: 64)
            try await subscriber.subscribe(longest)
            try await eventually { await publisher.hasSubscribers(longest + [1, 2, 3]) }
            #expect(await !publisher.hasSubscribers(Array(longest.dropLast())))
            let error = await #expect(throws: ZeroMQError.self) { try await subscriber.subscribe(longest + [65]) }
            #expect(error?.code == "ENAMETOOLONG")
        }
    }

    @Test("Counts and rejects a foreign subscriber's long topic")
    func foreignTopic() async throws {
        try await TestRig.run { rig in
            let (publisher, subscriber, endpoint) = try await connected(rig)
            let context = unsafe zmq_ctx_new()
            let foreign = unsafe zmq_socket(context, ZMQ_SUB)
            let long = [UInt8](repeating: 66, count: 100)
            _ = unsafe zmq_setsockopt(foreign, ZMQ_SUBSCRIBE, long, long.count)
            _ = unsafe zmq_connect(foreign, endpoint)
            try await eventually { await publisher.counters.rejectedTopics == 1 }
            #expect(await !publisher.hasSubscribers(long))
            // One that libzmq 4.3.4 would take for everything ends the connection before it is looked at.
            let everything = [UInt8](repeating: 66, count: 250)
            _ = unsafe zmq_setsockopt(foreign, ZMQ_SUBSCRIBE, everything, everything.count)
            try await eventually { await publisher.counters.disconnects >= 1 }
            #expect(await publisher.counters.rejectedTopics >= 1)
            #expect(await publisher.subscribedTopics == [])
            _ = unsafe zmq_close(foreign)
            _ = unsafe zmq_ctx_term(context)

            try await subscriber.subscribe("")
            try await eventually { await publisher.hasSubscribers("") }
            _ = await publisher.publish(Message(text: "alive"))
            #expect(await subscriber.receive()?.texts == ["alive"])
        }
    }

    @Test("Ends a subscriber of more than 256 topics, and keeps the others")
    func tooManyTopics() async throws {
        try await TestRig.run { rig in
            let (publisher, subscriber, endpoint) = try await connected(rig)
            let greedy = try rig.subscriber()
            try await greedy.connect(to: endpoint)
            for number in 1...256 { try await greedy.subscribe("greedy/\(number)") }
            try await eventually { await publisher.subscribedTopics.count == 256 }
            #expect(await publisher.counters.endedSubscribers == 0)
            // More than that in all, never at once.
            for number in 1...600 {
                try await subscriber.subscribe("modest/\(number)")
                if number > 200 { try await subscriber.unsubscribe("modest/\(number - 200)") }
            }
            try await eventually { await publisher.hasSubscribers("modest/600") }
            try await eventually { await publisher.subscribedTopics.count == 456 }
            #expect(await publisher.counters.endedSubscribers == 0)
            #expect(await publisher.counters.disconnects == 0)

            var events = publisher.connectionEvents.makeAsyncIterator()
            try await greedy.subscribe("greedy/257")
            while let event = await events.next(), event.kind != .disconnected {}
            #expect(await publisher.counters.endedSubscribers >= 1)
            await greedy.close()
            try await eventually { await publisher.subscribedTopics.count == 200 }
            try await eventually {
                _ = await publisher.publish(Message(text: "modest/600 goes on"))
                return await subscriber.counters.received > 0
            }
            #expect(await subscriber.counters.disconnects == 0)
        }
    }

    @Test("Counts from zero for a connection with a reused descriptor")
    func descriptorAgain() async throws {
        try await TestRig.run { rig in
            let publisher = try rig.publisher()
            let endpoint = try await publisher.bind(to: "tcp://127.0.0.1:*")
            for round in 1...8 {
                let subscriber = try rig.subscriber()
                try await subscriber.connect(to: endpoint)
                for number in 1...200 { try await subscriber.subscribe("\(round)/\(number)") }
                try await eventually { await publisher.subscribedTopics.count == 200 }
                await subscriber.close()
                try await eventually { await publisher.subscribedTopics.isEmpty }
            }
            #expect(await publisher.counters.endedSubscribers == 0)
            try await eventually { await publisher.counters.acceptedConnections == 0 }
        }
    }

    @Test("Gives a conflating subscriber the newest message after a pause")
    func conflate() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.conflate = true
            let (publisher, subscriber, endpoint) = try await connected(rig, options)
            let witness = try rig.subscriber()
            try await witness.connect(to: endpoint)
            for socket in [subscriber, witness] { try await socket.subscribe("") }
            try await eventually { await publisher.hasSubscribers("") }
            // The first message that both have got proves that both are subscribed.
            try await eventually {
                _ = await publisher.publish(Message(text: "0"))
                return await witness.counters.received > 0
            }
            _ = await subscriber.receive()
            for number in 1...500 { _ = await publisher.publish(Message(text: "\(number)")) }
            while try #require(await witness.receive()).texts != ["500"] {}
            var newest = ""
            while newest != "500" { newest = try #require(await subscriber.receive()?.texts.first) }
            #expect(await subscriber.counters.received < 100)
        }
    }

    @Test("Forgets the topics of a subscriber that has stopped reading")
    func stalledSubscriber() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.sendHighWaterMark = 2
            options.stallLimit = .seconds(1)
            let publisher = try rig.publisher(options)
            let stalled = try TCPClient(to: try await publisher.bind(to: "tcp://127.0.0.1:*"))
            let signature: [UInt8] = [0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3, 0]
            stalled.write(signature + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48))
            let ready = [5] + Array("READY".utf8) + [11] + Array("Socket-Type".utf8) + [0, 0, 0, 3] + Array("SUB".utf8)
            stalled.write([4, UInt8(ready.count)] + ready)
            // A message that comes before the publisher is ready ends the connection.
            stalled.read(until: Array("READY".utf8))
            stalled.write([0, 2, 1] + Array("t".utf8))
            try await eventually { await publisher.hasSubscribers("t") }
            let message = Message(Array("t".utf8) + [UInt8](repeating: 0, count: 1 << 16))
            try await eventually {
                _ = await publisher.publish(message)
                return await !publisher.hasSubscribers("t")
            }
            #expect(await publisher.counters.disconnects == 1)
            withExtendedLifetime(stalled) {}
        }
    }

    @Test("Refuses a message of two parts")
    func onePart() async throws {
        try await TestRig.run { rig in
            let publisher = try rig.publisher()
            #expect(await publisher.publish(Message([1], [2])) == .refused(.notSinglePart))
            #expect(await publisher.publish(Message([])) == .refused(.notSinglePart))
        }
    }
}
