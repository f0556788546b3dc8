import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import Testing

@Suite struct FrameEnvelopeTests {
    private func header(_ device: String = "north/cam") throws -> FrameHeader {
        var drops = OutputDrops()
        (drops.beforeOutput, drops.superseded, drops.undecodable, drops.oversized) = (1, 2, 3, 4)
        let rig = FrameRigTime(
            clock: RigClockID(rawValue: "rig-1"),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: 7_000), bound: .nanoseconds(90)),
            clockBound: .nanoseconds(60))
        var generator = SeededGenerator(seed: 3)
        return FrameHeader(
            topic: FrameTopic(device: try DeviceID(device), kind: .preview), epoch: .random(using: &generator),
            number: 5, sequence: 6, midExposure: LocalTime(nanoseconds: -100), stampBound: .nanoseconds(30),
            exposure: .milliseconds(8), dequeued: LocalTime(nanoseconds: 400), published: LocalTime(nanoseconds: 500),
            rig: rig, width: 640, height: 360, orientation: .degrees90, isMirrored: true,
            drops: drops)
    }

    private func open(_ bytes: [UInt8]) throws -> (FrameHeader, payload: [UInt8]) {
        let (header, start) = try FrameEnvelope.open(bytes.span)
        return (header, Array(bytes[start...]))
    }

    @Test("Round-trips a frame's stamps and picture")
    func roundTrip() throws {
        let header = try header()
        let message = try FrameEnvelope.prefix(header) + [0xFF, 0xD8, 0]
        #expect(message.starts(with: Array("north/cam/preview\0".utf8)))
        let opened = try open(message)
        #expect(opened.0 == header)
        #expect(opened.payload == [0xFF, 0xD8, 0])
        #expect(header.rigDequeued == BoundedRigTime(time: RigTime(nanoseconds: 7_500), bound: .nanoseconds(60)))
    }

    @Test("Limits names so that topics fit libzmq", arguments: FrameKind.allCases)
    func longestTopic(kind: FrameKind) throws {
        let name = String(repeating: "x", count: 24)
        let topic = FrameTopic(device: try DeviceID("\(name)/\(name)"), kind: kind)
        #expect(topic.bytes.count <= FrameTopic.maximumByteCount)
        #expect(FrameTopic(topic.description) == topic)
    }

    @Test("Refuses a message cut off at any byte")
    func cutOff() throws {
        let prefix = try FrameEnvelope.prefix(try header())
        for count in 0..<prefix.count { #expect(throws: WireError.self) { try open(Array(prefix.prefix(count))) } }
        #expect(try open(prefix).payload.isEmpty)
    }

    private func isBeat(_ bytes: [UInt8]) -> Bool { FrameEnvelope.isBeat(bytes.span) }

    @Test("Tells beats from frames")
    func beat() throws {
        let topic = try header().topic.bytes
        let beat = FrameEnvelope.beat(of: topic)
        #expect(beat == topic + [0, 0, 0, 0])
        #expect(isBeat(beat))
        #expect(throws: WireError.self) { try open(beat) }
        let frame = try FrameEnvelope.prefix(try header())
        for other in [frame, frame + [1], beat + [0], Array(beat.dropLast()), topic, Array(topic.dropLast()), []] {
            #expect(!isBeat(other))
        }
    }

    @Test("Tells frames of different cameras apart")
    func otherTopic() throws {
        var message = try FrameEnvelope.prefix(try header("north/cam"))
        message.replaceSubrange(0..<9, with: Array("north/cab".utf8))
        #expect(throws: WireError.self) { try open(message) }
    }

    @Test("Refuses a hostile node's messages")
    func mutations() throws {
        let good = try FrameEnvelope.prefix(try header()) + [1, 2, 3]
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<5000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? open(bytes)
        }
        #expect(throws: WireError.self) { try open(Array(repeating: 0xFF, count: 100_000)) }
    }

    @Test("Refuses addresses that are not a host", arguments: ["", "a b", "x\0", "../y", "é"])
    func hostileHost(host: String) {
        var wire = WireFramesStatus()
        (wire.host, wire.port) = (host, 1)
        #expect(throws: WireError.self) { try FramesStatus(wire: wire) }
    }

    @Test("Round-trips a node's counters")
    func status() throws {
        let status = FramesStatus(
            host: "fe80::1", port: 9, watched: 1, published: 2, publishedBytes: 3, scaled: 4, refusedConnections: 5)
        #expect(try FramesStatus(wire: status.wire) == status)
        #expect(status.endpoint == "tcp://[fe80::1]:9")
        for port in [0, 65_536, UInt32.max] {
            var wire = status.wire
            wire.port = port
            #expect(throws: WireError.self) { try FramesStatus(wire: wire) }
        }
    }
}
