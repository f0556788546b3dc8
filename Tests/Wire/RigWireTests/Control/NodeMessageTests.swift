import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigProtocol
import RigWire
import Testing

/// What nodes say, decoded: every name is of the node itself.
@Suite struct NodeMessageTests {
    private let south: NodeName

    init() throws {
        south = try NodeName("south")
    }

    private func status(_ device: String) throws -> WireDeviceStatus {
        var generator = SeededGenerator(seed: 1)
        var status = try generator.deviceStatus()
        status.device.id = try DeviceID(device)
        return status.wire
    }

    /// A hello of the node `south` with one camera.
    private func hello() throws -> WireHello {
        var hello = WireHello()
        hello.protocolVersion = ProtocolVersion.current
        hello.bootID = "boot"
        hello.devices = [try status("south/cam")]
        return hello
    }

    /// The field that is not valid.
    private func fault(_ body: WireAgentMessage.OneOf_Body) -> String? {
        do throws(WireError) {
            _ = try NodeMessage(wire: body, from: south)
            return nil
        } catch {
            return error.field
        }
    }

    @Test func `a node cannot speak for another node's camera`() throws {
        var generator = SeededGenerator(seed: 1)
        var captured = try generator.captureReport()
        captured.key.device = try DeviceID("north/cam")
        let report = captured.wire
        var heartbeat = WireHeartbeat()
        heartbeat.devices = [try status("north/cam")]
        var page = WireInventory()
        page.captures = [report]
        var answer = WireDeviceAnswer()
        answer.devices = heartbeat.devices
        answer.problem = RigProblem(.conflict, "no").wire
        #expect(fault(.captured(report)) == "device")
        #expect(fault(.heartbeat(heartbeat)) == "devices")
        #expect(fault(.inventory(page)) == "captures")
        #expect(fault(.deviceAnswer(answer)) == "devices")
    }

    @Test("A hello and a heartbeat name the time line of their instants, or none")
    func timeLine() throws {
        for (text, expected) in [("", nil), ("boot.4026531834", RigClockID(rawValue: "boot.4026531834"))] {
            var heartbeat = WireHeartbeat()
            heartbeat.rigClockID = text
            guard case .heartbeat(let read)? = try NodeMessage(wire: .heartbeat(heartbeat), from: south) else {
                Issue.record("no heartbeat")
                return
            }
            #expect(read.rigClock == expected)
            var hello = try hello()
            hello.rigClockID = text
            guard case .hello(let greeting)? = try NodeMessage(wire: .hello(hello), from: south) else {
                Issue.record("no hello")
                return
            }
            #expect(greeting.rigClock == expected)
        }
        var heartbeat = WireHeartbeat()
        heartbeat.rigClockID = "two words\u{1}"
        #expect(fault(.heartbeat(heartbeat)) == "rig_clock_id")
    }

    @Test func `a node that names a camera twice is refused`() throws {
        let hello = try hello()
        #expect(hello.devices.count == 1)
        _ = try NodeMessage(wire: .hello(hello), from: south)
        var doubled = hello
        doubled.devices += hello.devices
        let error = #expect(throws: WireError.self) {
            try NodeMessage(wire: .hello(doubled), from: south)
        }
        #expect(error?.field == "devices" && error?.reason.contains("'south/cam' twice") == true)
        var heartbeat = WireHeartbeat()
        heartbeat.devices = doubled.devices
        #expect(fault(.heartbeat(heartbeat)) == "devices")
        var answer = WireDeviceAnswer()
        answer.devices = doubled.devices
        answer.problem = RigProblem(.conflict, "no").wire
        #expect(fault(.deviceAnswer(answer)) == "devices")
    }

    @Test func `an event that is not valid keeps its place, and one without a place spoils its batch`() throws {
        var batch = WireEventBatch()
        let event = RigEvent(.device(.running), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
        let epoch = try #require(Epoch(rawValue: 1))
        batch.events = (1...2).map { NumberedEvent(epoch: epoch, sequence: $0, event: event).wire }
        batch.events[1].event.name = "no name"
        guard case .events(let read)? = try NodeMessage(wire: .events(batch), from: south) else {
            Issue.record("no batch")
            return
        }
        #expect(read.entries.map(\.position.sequence) == [1, 2])
        #expect(read.entries.map { (try? $0.event.get()) != nil } == [true, false])
        batch.events[1].epoch = 0
        #expect(fault(.events(batch)) == "epoch")
    }

    @Test func `a result for a device without a name, or without an outcome, is not valid`() {
        var generator = SeededGenerator(seed: 1)
        let shot = generator.shotID()
        var result = WirePrepareResult()
        #expect(fault(.prepareResult(result)) == "shot_id")
        result.shotID = shot.wire
        #expect(fault(.prepareResult(result)) == "device")
        result.device = "../x"
        #expect(fault(.prepareResult(result)) == "device")
        result.device = "cam"
        #expect(fault(.prepareResult(result)) == "outcome")
        result.armed = "{}"
        #expect(fault(.prepareResult(result)) == "width")
        var resolved = generator.resolvedSettings()
        result.armed = resolved.wire
        #expect(fault(.prepareResult(result)) == nil)
        resolved.streamFormat.height = 0
        result.armed = resolved.wire
        #expect(fault(.prepareResult(result)) == "streamFormat.height")
    }

    @Test func `a hello of another protocol version is refused, and told both versions`() throws {
        var hello = try hello()
        hello.protocolVersion += 1
        let error = #expect(throws: WireError.self) { try NodeMessage(wire: .hello(hello), from: south) }
        #expect(
            error?.reason.contains("is \(hello.protocolVersion), the coordinator speaks \(ProtocolVersion.current)")
                == true)
    }

    @Test func `a reply that is not valid is reported to who waits for it`() throws {
        var answer = WireDeviceAnswer()
        answer.requestID = 5
        answer.reply = WireDeviceReply()
        guard case .deviceAnswer(let read)? = try NodeMessage(wire: .deviceAnswer(answer), from: south),
            case .failure(let problem) = read.outcome
        else {
            Issue.record("no failure")
            return
        }
        #expect(read.number == 5 && problem.code == .protocolViolation)
        #expect(problem.message.hasPrefix("node 'south' gave an answer that is not valid: "))
        #expect(problem.message.hasSuffix("; install equal versions on node and coordinator"))
    }
}
