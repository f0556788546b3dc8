import CaptureModel
import KeyFiles
import RigAccess
import RigProtocol
import RigSecurity
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// A coordinator whose connections have keys.
@Suite(.timeLimit(.minutes(10))) struct KeyedCoordinatorTests {
    @Test func `The admin key of the machine works from the first start on, and stays the same`() async throws {
        let bench = try await KeyedBench()
        let admin = try AdminKey(in: bench.adminFolder).load()
        #expect(admin.coordinator == bench.keys.pair.publicKey && admin.endpoint == bench.endpoint(.client))
        let reply = try await bench.ask(bench.dealer(admin.pair, .client), .getStatus(WireGetStatus()))
        #expect(reply.status.software == Coordinator.software)
        let snapshot = bench.keys.access.snapshot
        await bench.end()
        let next = try await bench.keysOfNextRun()
        #expect(next.pair.publicKey == bench.keys.pair.publicKey && next.access.snapshot == snapshot)
    }

    @Test func `A viewer sees the rig and cannot trigger it`() async throws {
        let bench = try await KeyedBench()
        let socket = try await bench.dealer(try await bench.admit("wall", .viewer), .client)
        guard case .deviceList? = try await bench.ask(socket, .listDevices(WireListDevices())).body else {
            Issue.record("a viewer may list devices")
            return
        }
        let trigger = TriggerRequest(shot: Samples.shot(), request: ShotRequest(selection: Selection()))
        let refused = try await bench.ask(socket, .trigger(trigger.wire))
        #expect(refused.failure.problem.code == "notPermitted")
        for word in ["wall", "'trigger'", "administrator"] {
            #expect(refused.failure.problem.message.contains(word))
        }
        await bench.end()
    }

    @Test func `A node speaks for the name of its key and for no other`() async throws {
        let bench = try await KeyedBench()
        let socket = try await bench.dealer(try await bench.admit("left-arm", .node), .control)
        for node in ["right-arm", "left-arm"] {
            var message = WireAgentMessage()
            (message.node, message.epoch) = (node, Epoch.random().rawValue)
            message.hello = try FakeAgent.hello(node)
            _ = await socket.send(Message(try WireCoding.control.encode(message)))
        }
        let received = try #require(await socket.receive())
        let answer = try WireCoding.control.decode(WireCoordinatorMessage.self, from: received.message.parts[0].bytes)
        guard case .welcome? = answer.body else {
            Issue.record("its own node is welcome: \(answer)")
            return
        }
        let admin = try AdminKey(in: bench.adminFolder).load()
        let status = try await bench.ask(bench.dealer(admin.pair, .client), .getStatus(WireGetStatus())).status
        #expect(status.nodes.map(\.node) == ["left-arm"])
        #expect(status.droppedMessages["control.foreignNode"] == 1)
        await bench.end()
    }

    @Test(arguments: AccessDomain.allCases.filter { ![.frames, .join].contains($0) })
    func `Neither an unknown key nor a peer without keys connects to a channel`(domain: AccessDomain) async throws {
        let bench = try await KeyedBench()
        let unknown = try await bench.dealer(try .generate(), domain)
        let plain = try DealerSocket(context: bench.context, executor: bench.executor)
        try await plain.connect(to: bench.endpoint(domain))
        for socket in [unknown, plain] {
            for await event in socket.connectionEvents {
                if event.kind == .handshakeSucceeded { Issue.record("\(domain) admits it") }
                switch event.kind {
                case .authenticationFailed, .handshakeFailed, .handshakeProtocolError, .disconnected,
                    .handshakeSucceeded:
                    break
                default: continue
                }
                break
            }
            #expect(await socket.counters.connects == 0)
            await socket.close()
        }
        await bench.end()
    }

    @Test func `A key that has no access to a channel is refused there`() async throws {
        let bench = try await KeyedBench()
        let viewer = try await bench.admit("wall", .viewer)
        let node = try await bench.admit("left-arm", .node)
        for (pair, domain) in [(viewer, AccessDomain.control), (viewer, .collect), (node, .client)] {
            let socket = try await bench.dealer(pair, domain)
            for await event in socket.connectionEvents {
                #expect(event.kind != .handshakeSucceeded)
                if case .authenticationFailed = event.kind { break }
            }
            await socket.close()
        }
        await bench.end()
    }

    @Test func `A revoked key is disconnected, and the others are back with their answers`() async throws {
        let bench = try await KeyedBench()
        let (thief, friend) = (try await bench.admit("thief", .operator), try await bench.admit("anna", .operator))
        let (stolen, kept) = (try await bench.dealer(thief, .client), try await bench.dealer(friend, .client))
        for socket in [stolen, kept] {
            _ = try await bench.ask(socket, .getStatus(WireGetStatus()))
        }
        _ = try await bench.keys.access.revoke("thief", by: .coordinator)
        for await event in stolen.connectionEvents {
            if case .authenticationFailed = event.kind { break }
        }
        let reply = try await bench.ask(kept, .listDevices(WireListDevices()))
        guard case .deviceList? = reply.body else {
            Issue.record("\(reply)")
            return
        }
        #expect(await kept.counters.connects == 2)
        #expect(await stolen.counters.connects == 1)
        await bench.end()
    }

    @Test func `A machine joins by code and is welcome as a node at once`() async throws {
        let bench = try await KeyedBench()
        let issued = try await bench.keys.access.invite(KeyName("left-arm"), role: .node, by: .coordinator)
        let pair = try CurveKeyPair.generate()
        let join = try await bench.dealer(pair, .join)
        var request = WireJoin()
        (request.requestID, request.protocolVersion) = (1, ProtocolVersion.current)
        request.means = JoinMeans.token(issued.token).wire
        _ = await join.send(Message(try WireCoding.join.encode(request)))
        let received = try #require(await join.receive())
        let reply = try WireCoding.join.decode(WireJoinReply.self, from: received.message.parts[0].bytes)
        #expect(reply.admission.name == "left-arm" && reply.admission.rig == "studio")
        #expect(bench.endpoint(.control).hasSuffix(":\(reply.admission.controlPort)"))
        let control = try await bench.dealer(pair, .control)
        var hello = WireAgentMessage()
        (hello.node, hello.epoch, hello.hello) = (
            "left-arm", Epoch.random().rawValue, try FakeAgent.hello("left-arm")
        )
        _ = await control.send(Message(try WireCoding.control.encode(hello)))
        let answer = try #require(await control.receive())
        let message = try WireCoding.control.decode(WireCoordinatorMessage.self, from: answer.message.parts[0].bytes)
        guard case .welcome? = message.body else {
            Issue.record("\(message)")
            return
        }
        await bench.end()
    }
}
