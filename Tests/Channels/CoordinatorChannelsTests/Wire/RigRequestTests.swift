import CaptureModel
import Catalogue
import RigCore
import RigProtocol
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// What clients ask, decoded.
@Suite(.timeLimit(.minutes(1))) struct RigRequestTests {
    private func principal(_ name: String) throws -> Principal {
        var request = WireClientRequest()
        request.clientName = name
        request.getStatus = .init()
        return try RigRequest(wire: request, from: PeerID(bytes: [1])).requester.principal
    }

    @Test func `a client is called as it says, and unnamed where its name cannot be one`() throws {
        let longest = String(repeating: "a", count: Principal.longestName)
        #expect(try principal("anna@studio-1") == Principal(claimed: "anna@studio-1"))
        #expect(try principal(longest).name == longest)
        for hostile in ["", longest + "a", "anna\n", "anna\u{1b}[2J", "\0", String(repeating: "ä", count: 65)] {
            #expect(try principal(hostile) == .unnamed, "\(hostile.debugDescription)")
        }
    }

    @Test func `requests of one connection have one token, and those of others have their own`() throws {
        var request = WireClientRequest()
        request.stopTake = .init()
        let tokens = try [1, 1, 2].map { try RigRequest(wire: request, from: PeerID(bytes: [$0])).requester.token }
        #expect(tokens[0] == tokens[1] && tokens[0] != tokens[2])
    }

    @Test func `a list without a limit has 50 shots, and no list has more than the answer holds`() throws {
        for (limit, expected) in [(UInt32(0), 50), (7, 7), (.max, WireLimits.shotsPerList)] {
            var request = WireClientRequest()
            request.listShots.limit = limit
            guard case .query(.shots(let page), _) = try RigRequest(wire: request, from: PeerID(bytes: [1])) else {
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
        let manifest = String(decoding: reply.shot.manifestJson, as: UTF8.self)
        #expect(manifest.contains("triggeredBy") && manifest.contains("anna@studio-1"), "\(reply)")
        await client.close()
        await bench.end()
    }
}
