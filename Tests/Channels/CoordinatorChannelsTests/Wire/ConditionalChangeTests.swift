import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import KeyFiles
import RigAccess
import RigProtocol
import RigSecurity
import RigTestSupport
import RigWire
import Testing
import ZeroMQ

@testable import RigCore

/// Changes that are made only if nobody has changed what they change.
@Suite(.timeLimit(.minutes(10))) struct ConditionalChangeTests {
    private func fill(_ folder: TemporaryFolder) async throws { try await WireBench.fill(folder, photo: [1, 2, 3]) }

    private func edit(_ title: String) -> WireClientRequest.OneOf_Body {
        .editShot(ShotAnnotationEdit(title: title).wire(of: Samples.shot()))
    }

    private func version(_ bench: WireBench, _ socket: DealerSocket) async throws -> Data {
        var request = WireClientRequest()
        request.getShot.shotID = Samples.shot().wire
        return try await bench.ask(socket, request).shot.version
    }

    /// - Parameter number: That of the request, the same in its repeats.
    private func change(
        _ body: WireClientRequest.OneOf_Body, if versions: [Data], number: UInt64 = 0
    ) -> WireClientRequest {
        var request = WireClientRequest()
        (request.requestID, request.requestNumber) = (1, number)
        request.conditionalChange.versions = versions
        request.conditionalChange.change.body = body
        return request
    }

    @Test func `Of edits at once that depend on the same version, one is made`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        for round in 1...10 {
            let seen = try await version(bench, socket)
            #expect(seen.count == 32)
            for number in 1...8 {
                var request = change(edit("\(round).\(number)"), if: [seen])
                (request.requestID, request.protocolVersion) = (UInt64(number), ProtocolVersion.current)
                _ = await socket.send(Message(try WireCoding.client.encode(request)))
            }
            var (titles, refused) = ([String](), 0)
            var made = Data()
            for _ in 1...8 {
                let received = try #require(await socket.receive())
                let reply = try WireCoding.client.decode(WireClientReply.self, from: received.message.parts[0].bytes)
                switch reply.body {
                case .shotAnnotation(let annotation):
                    titles.append(annotation.title)
                    made = annotation.version
                case .failure(let failure):
                    #expect(failure.problem.code == "preconditionFailed", "\(failure)")
                    refused += 1
                default: Issue.record("\(reply)")
                }
            }
            #expect(titles.count == 1 && refused == 7, "round \(round): \(titles)")
            #expect(try await version(bench, socket) == made && made != seen)
        }
        await socket.close()
        await bench.end()
    }

    @Test func `A shot has one version for each state of its annotation`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        var versions: [Data] = [try await version(bench, socket)]
        for title in ["a", "b", "b", "a", ""] {
            var request = WireClientRequest()
            request.body = edit(title)
            _ = try await bench.ask(socket, request)
            versions.append(try await version(bench, socket))
        }
        #expect(Set(versions).count == 3, "no title, a, and b")
        #expect(versions[0] == versions[5] && versions[1] == versions[4] && versions[2] == versions[3])
        await socket.close()
        await bench.end()
    }

    @Test func `A repeat of a conditional change has the answer of the first`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let seen = try await version(bench, socket)
        let first = try await bench.ask(socket, change(edit("a"), if: [seen], number: 7))
        #expect(first.shotAnnotation.title == "a")
        #expect(try await bench.ask(socket, change(edit("a"), if: [seen], number: 7)) == first)
        let without = try await bench.ask(socket, change(edit("a"), if: [seen]))
        #expect(without.failure.problem.code == "preconditionFailed")
        let other = try await bench.ask(socket, change(edit("a"), if: [first.shotAnnotation.version], number: 7))
        #expect(other.failure.problem.code == "conflict")
        await socket.close()
        await bench.end()
    }

    @Test func `A condition without versions never holds, and one of several is sufficient`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let seen = try await version(bench, socket)
        let other = Data(repeating: 1, count: 32)
        #expect(try await bench.ask(socket, change(edit("a"), if: [])).failure.problem.code == "preconditionFailed")
        #expect(try await bench.ask(socket, change(edit("a"), if: [other, seen])).shotAnnotation.title == "a")
        await socket.close()
        await bench.end()
    }

    @Test func `Changes of what has no version are not made under a condition`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let seen = try await version(bench, socket)
        let trigger = TriggerRequest(shot: Samples.shot(9), request: ShotRequest(selection: Selection()))
        let device = DeviceRequest(device: try DeviceID("north/cam"), command: .startSession, id: 7)
        for body in [
            .trigger(trigger.wire), .deviceRequest(device.wire), .forgetDevices(.init()), .stopTake(.init()),
            .markTake(made(.init()) { $0.text = "x" }),
            .announceGateway(made(.init()) { $0.address = "http://localhost" }),
        ] as [WireClientRequest.OneOf_Body] {
            let reply = try await bench.ask(socket, change(body, if: [seen]))
            let code = reply.failure.problem.code
            // Only a gateway may announce one.
            #expect(code == "preconditionFailed" || code == "notPermitted", "\(body): \(reply)")
        }
        await socket.close()
        await bench.end()
    }

    @Test func `What is not a condition, or has no change, is refused and names the field`() async throws {
        let bench = try await WireBench(prepare: fill)
        let socket = try await bench.dealer(bench.client)
        let seen = try await version(bench, socket)
        let good = change(edit("a"), if: [seen])
        let hostile: [(String, (inout WireConditionalChange) -> Void)] = [
            ("versions", { $0.versions = [Data([1])] }),
            ("versions", { $0.versions = [Data](repeating: seen, count: 17) }),
            ("change", { $0.change.body = nil }), ("change", { $0.clearChange() }),
            ("change", { $0.change.getStatus = .init() }), ("change", { $0.change = good }),
            ("shot_id", { $0.change.editShot.shotID = Data() }),
        ]
        for (field, change) in hostile {
            var request = good
            change(&request.conditionalChange)
            let problem = try await bench.ask(socket, request).failure.problem
            #expect(problem.code == "protocolViolation" && problem.message.contains(field), "\(field): \(problem)")
        }
        #expect(try await version(bench, socket) == seen)
        await socket.close()
        await bench.end()
    }

    @Test func `Of changes of the keys that depend on the same list, one is made`() async throws {
        let bench = try await KeyedBench()
        let admin = try AdminKey(in: bench.adminFolder).load()
        let socket = try await bench.dealer(admin.pair, .client)
        _ = try await bench.admit("anna", .operator)
        func list() async throws -> WireKeyList {
            try await bench.ask(socket, .listKeys(.init())).keyList
        }
        let seen = try await list().version
        #expect(try await list().version == seen)
        var reply = try await bench.ask(socket, change(rename("anna", "berta"), if: [seen]).body ?? .listKeys(.init()))
        #expect(reply.keyHolders.holders.map(\.name) == ["berta"])
        for body in [
            rename("berta", "clara"), .revokeKey(made(.init()) { $0.key = "berta" }),
            .inviteKey(made(.init()) { ($0.name, $0.role) = ("dora", "viewer") }),
            .withdrawInvitation(made(.init()) { $0.name = "dora" }),
        ] as [WireClientRequest.OneOf_Body] {
            reply = try await bench.ask(socket, change(body, if: [seen]).body ?? .listKeys(.init()))
            #expect(reply.failure.problem.code == "preconditionFailed", "\(body): \(reply)")
        }
        let present = try await list()
        #expect(present.version != seen && present.keys.contains { $0.holder.name == "berta" })
        reply = try await bench.ask(
            socket, change(rename("berta", "clara"), if: [present.version]).body ?? .listKeys(.init()))
        #expect(reply.keyHolders.holders.map(\.name) == ["clara"])
        await bench.end()
    }

    private func made<Message>(_ message: Message, _ change: (inout Message) -> Void) -> Message {
        var message = message
        change(&message)
        return message
    }

    private func rename(_ old: String, _ new: String) -> WireClientRequest.OneOf_Body {
        .renameKey(made(.init()) { ($0.name, $0.newName) = (old, new) })
    }
}
