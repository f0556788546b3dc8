import CaptureModel
import Catalogue
import Journal
import RigAccess
import RigCore
import RigProtocol
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels

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
