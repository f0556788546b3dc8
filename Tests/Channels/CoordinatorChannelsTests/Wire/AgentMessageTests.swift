import CaptureModel
import Catalogue
import FoundationEssentials
import Journal
import RigAccess
import RigCore
import RigProtocol
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// What agents say, decoded: every name is of the agent's own node.
@Suite struct AgentMessageTests {
    private let north: NodeName
    private let south: NodeName

    init() throws {
        north = try NodeName("north")
        south = try NodeName("south")
    }

    /// The field that is not valid.
    private func fault(_ body: WireAgentMessage.OneOf_Body) -> String? {
        do throws(WireError) {
            _ = try AgentMessage(wire: body, from: south)
            return nil
        } catch {
            return error.field
        }
    }

    @Test func `a node cannot speak for another node's camera`() throws {
        var report = WireCaptureReport()
        report = try Samples.report("north/cam").wire
        var heartbeat = WireHeartbeat()
        heartbeat.devices = try FakeAgent.hello("north").devices
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
            guard case .heartbeat(let read)? = try AgentMessage(wire: .heartbeat(heartbeat), from: south) else {
                Issue.record("no heartbeat")
                return
            }
            #expect(read.rigClock == expected)
            var hello = try FakeAgent.hello("south")
            hello.rigClockID = text
            #expect(try AgentHello(wire: hello, from: south, epoch: Samples.epoch(1)).agent.rigClock == expected)
        }
        var heartbeat = WireHeartbeat()
        heartbeat.rigClockID = "two words\u{1}"
        #expect(fault(.heartbeat(heartbeat)) == "rig_clock_id")
    }

    @Test func `a node that names a camera twice is refused`() throws {
        let hello = try FakeAgent.hello("south")
        #expect(hello.devices.count == 1)
        _ = try AgentHello(wire: hello, from: south, epoch: Samples.epoch(1))
        var doubled = hello
        doubled.devices += hello.devices
        let error = #expect(throws: WireError.self) {
            try AgentHello(wire: doubled, from: south, epoch: Samples.epoch(1))
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
        batch.events = (1...2).map { NumberedEvent(epoch: Samples.epoch(1), sequence: $0, event: event).wire }
        batch.events[1].event.name = "no name"
        guard case .events(let read)? = try AgentMessage(wire: .events(batch), from: south) else {
            Issue.record("no batch")
            return
        }
        #expect(read.entries.map(\.position.sequence) == [1, 2])
        #expect(read.entries.map { (try? $0.event.get()) != nil } == [true, false])
        batch.events[1].epoch = 0
        #expect(fault(.events(batch)) == "epoch")
    }

    @Test func `a result for a device without a name, or without an outcome, is not valid`() {
        var result = WirePrepareResult()
        #expect(fault(.prepareResult(result)) == "shot_id")
        result.shotID = Samples.shot().wire
        #expect(fault(.prepareResult(result)) == "device")
        result.device = "../x"
        #expect(fault(.prepareResult(result)) == "device")
        result.device = "cam"
        #expect(fault(.prepareResult(result)) == "outcome")
    }
}

@Suite(.timeLimit(.minutes(10))) struct BusLibraryTests {
    @Test("Reports the libzmq of the coordinator and of each node")
    func status() async throws {
        let bench = try await WireBench()
        let told: [String: WireBusLibrary?] = [
            "east": BusLibrary(version: "4.3.5", isHardened: true).wire,
            "north": BusLibrary(version: "4.3.4", isHardened: false).wire,
            "west": nil,
        ]
        var agents: [FakeAgent] = []
        for (node, library) in told {
            let agent = try await FakeAgent(bench, node: node)
            var hello = try FakeAgent.hello(node)
            if let library { hello.busLibrary = library }
            try await agent.send(.hello(hello))
            _ = try await agent.receive()
            agents.append(agent)
        }
        let status = try #require(try await bench.status(try await bench.dealer(bench.client)))
        let seen = status.nodes.map { $0.hasBusLibrary ? $0.busLibrary : nil }
        #expect(seen == ["east", "north", "west"].map { told[$0] ?? nil })
        #expect(status.busLibrary.version == ZeroMQLibrary.linked.version)
        #expect(status.busLibrary.hardened == ZeroMQLibrary.linked.isHardened)
        await bench.end()
    }
}

/// What clients ask, decoded.
@Suite(.timeLimit(.minutes(10))) struct RigRequestTests {
    /// Who a client without a key is.
    private func requester(_ name: String = "", _ peer: UInt8 = 1) throws -> Requester {
        let message = ReceivedMessage(message: Message([]), receivedAtNanoseconds: 0)
        return try PeerAuthority.anybody.requester(
            of: message, claimed: name, session: [UInt8](), token: RequesterToken(PeerID(bytes: [peer])),
            at: WallTime(nanoseconds: 0))
    }

    private func principal(_ name: String) throws -> Principal { try requester(name).principal }

    @Test func `a client is called as it says, and unnamed where its name cannot be one`() throws {
        let longest = String(repeating: "a", count: Principal.longestName)
        #expect(try principal("anna@studio-1") == Principal(claimed: "anna@studio-1"))
        #expect(try principal(longest).name == longest)
        for hostile in ["", longest + "a", "anna\n", "anna\u{1b}[2J", "\0", String(repeating: "ä", count: 65)] {
            #expect(try principal(hostile) == .unnamed, "\(hostile.debugDescription)")
        }
    }

    @Test func `a client of another protocol version is refused, and told both versions`() async throws {
        let bench = try await WireBench()
        let client = try await bench.dealer(bench.client)
        var request = WireClientRequest()
        (request.requestID, request.protocolVersion) = (3, ProtocolVersion.current + 1)
        request.getStatus = .init()
        let reply = try await bench.ask(client, request)
        #expect(reply.requestID == 3 && reply.failure.problem.code == "protocolViolation")
        let (theirs, ours) = (ProtocolVersion.current + 1, ProtocolVersion.current)
        #expect(reply.failure.problem.message.contains("is \(theirs), the coordinator speaks \(ours)"), "\(reply)")
        await client.close()
        await bench.end()
    }

    @Test func `requests of one connection have one token, and those of others have their own`() throws {
        let tokens = try [1, 1, 2].map { try requester("", $0).token }
        #expect(tokens[0] == tokens[1] && tokens[0] != tokens[2])
    }

    @Test func `a list without a limit has 50 shots, and no list has more than the answer holds`() throws {
        for (limit, expected) in [(UInt32(0), 50), (7, 7), (.max, WireLimits.shotsPerList)] {
            var request = WireClientRequest()
            request.protocolVersion = ProtocolVersion.current
            request.listShots.limit = limit
            guard case .query(.shots(let page), _) = try RigRequest(wire: request, by: requester()) else {
                Issue.record("no list")
                continue
            }
            #expect(page.limit == expected)
        }
    }

    @Test func `the manifest of a shot has the name of the client that triggered it`() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let client = try await bench.dealer(bench.client)
        var request = WireClientRequest()
        request.clientName = "anna@studio-1"
        request.trigger =
            TriggerRequest(
                shot: Samples.shot(), request: ShotRequest(selection: Selection())
            ).wire
        var reply = try await bench.ask(client, request)
        while case .progress? = reply.body {
            guard let received = await client.receive() else { break }
            reply = try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
        }
        let manifest = String(decoding: reply.shot.manifest.content, as: UTF8.self)
        #expect(manifest.contains("triggeredBy") && manifest.contains("anna@studio-1"), "\(reply)")
        await client.close()
        await bench.end()
    }
}
