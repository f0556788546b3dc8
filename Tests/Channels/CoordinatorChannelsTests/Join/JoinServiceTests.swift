import AuditLog
import CaptureModel
import CaptureTestSupport
import ChannelSecurity
import Logging
import PosixSupport
import RigAccess
import RigClient
import RigConfiguration
import RigProtocol
import RigSecurity
import RigTestSupport
import RigWire
import StorageKit
import SystemClock
import Testing
import ZeroMQ

@testable import CoordinatorChannels

/// A coordinator's join channel and its gate, and machines that join.
@Suite(.timeLimit(.minutes(10))) struct JoinServiceTests {
    private let stage: JoinStage

    init() async throws {
        stage = try await JoinStage()
    }

    @Test func `A machine that pastes a code is admitted with the name and role of the code`() async throws {
        try await stage.serve { stage in
            let code = try await stage.code("left-arm", .node)
            let machine = try CurveKeyPair.generate()
            let outcome = try await stage.join(code, as: machine)
            guard case .admitted(let admission, let endpoint) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(try admission == stage.admission("left-arm", .node) && endpoint == stage.endpoint)
            let key = try #require(PublicKey(machine.publicKey))
            #expect(stage.access.snapshot.decide(domain: .control, key: key).isAdmission)
            #expect(try await stage.join(code, as: machine) == outcome, "the answer may have been lost")
        }
    }

    @Test func `A code is of use to one key`() async throws {
        try await stage.serve { stage in
            let code = try await stage.code("left-arm", .node)
            _ = try await stage.join(code, as: try .generate())
            let error = await #expect(throws: JoinError.self) { try await stage.join(code, as: try .generate()) }
            #expect(error?.code == .refused("used") && error?.description.contains("left-arm") == true)
        }
    }

    @Test func `An expired code is refused with its time`() async throws {
        try await stage.serve { stage in
            let code = try await stage.code("left-arm", .node)
            stage.clock.stepWallClock(by: .seconds(3601))
            let error = await #expect(throws: JoinError.self) { try await stage.join(code, as: try .generate()) }
            #expect(error?.code == .refused("expired") && error?.description.contains("expired at") == true)
        }
    }

    @Test func `A code of another rig is refused before its token is sent`() async throws {
        try await stage.serve { stage in
            let other = try #require(PublicKey(try CurveKeyPair.generate().publicKey))
            let code = try await stage.code("left-arm", .node, coordinator: other)
            let error = await #expect(throws: JoinError.self) { try await stage.join(code, as: try .generate()) }
            #expect(error?.code == .wrongCoordinator)
            #expect(await stage.access.refusedAttempts == 0)
            guard case .pending = await stage.access.registry.invitations[0].outcome else {
                Issue.record("the invitation is touched")
                return
            }
        }
    }

    @Test func `Where nothing answers, the error names every address that was tried`() async throws {
        let free = try JoinEndpoint(stage.deaf)
        let clock = ManualTimeSource()
        let joining = Task { [stage] in
            try await stage.client(clock).join(.standing, at: [free], coordinator: stage.key, keys: .generate())
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: JoinClient.patience)
        let error = await #expect(throws: JoinError.self) { try await joining.value }
        #expect(error?.code == .noCoordinator && error?.description.contains("\(free)") == true)
    }

    @Test func `Of several addresses the one that answers is asked once`() async throws {
        try await stage.serve { stage in
            let code = try await stage.code("left-arm", .node, before: [try JoinEndpoint(stage.deaf)])
            guard case .admitted(_, stage.endpoint) = try await stage.join(code, as: try .generate()) else {
                Issue.record("not admitted there")
                return
            }
        }
    }

    @Test func `A coordinator that is too busy for the first handshakes is asked by a later one`() async throws {
        try await stage.serve { stage in
            let door = try BusyDoor(ending: 2, then: stage.endpoint.port)
            let endpoint = try JoinEndpoint("127.0.0.1:\(door.port)")
            let code = try await stage.code("left-arm", .node)
            let outcome = try await stage.client().join(
                .token(code.token), at: [endpoint], coordinator: code.coordinator, keys: .generate())
            #expect(outcome == .admitted(try stage.admission("left-arm", .node), endpoint: endpoint))
        }
    }

    @Test func `A coordinator that ends two connections early is not taken for another program`() async throws {
        try await stage.serve { stage in
            let door = try BusyDoor(ending: 2, then: stage.endpoint.port)
            let endpoint = try #require(TCPEndpoint("tcp://127.0.0.1:\(door.port)"))
            let key = try #require(CurvePublicKey(bytes: try stage.key.bytes))
            #expect(try await stage.client().probe(endpoint, keys: .generate(), coordinator: key) == .admits)
        }
    }

    @Test func `A program that ends every connection is not the coordinator`() async throws {
        try await stage.serve { stage in
            let door = try BusyDoor(ending: 3, then: stage.endpoint.port)
            let endpoint = try JoinEndpoint("127.0.0.1:\(door.port)")
            let error = await #expect(throws: JoinError.self) {
                try await stage.client().join(
                    .standing, at: [endpoint], coordinator: try stage.key, keys: .generate())
            }
            #expect(error?.code == .wrongCoordinator && error?.description.contains("\(endpoint)") == true)
        }
    }

    @Test func `A full disk refuses a join, and the same code works when there is room`() async throws {
        try await stage.serve { stage in
            let code = try await stage.code("left-arm", .node)
            await stage.store.fail(StorageError(.noSpace, "write", "keys.json", "the disk is full; delete something"))
            let machine = try CurveKeyPair.generate()
            let error = await #expect(throws: JoinError.self) { try await stage.join(code, as: machine) }
            #expect(error?.code == .refused("notStored") && error?.description.contains("the disk is full") == true)
            await stage.store.fail(nil)
            _ = try await stage.join(code, as: machine)
        }
    }

    @Test func `A machine without a code waits until an admin approves its fingerprint`() async throws {
        try await stage.serve { stage in
            let machine = try CurveKeyPair.generate()
            let wanted = JoinMeans.approval(try KeyName("left-arm"), .node)
            #expect(try await stage.join(wanted, as: machine) == .waiting(AttemptLimiter.interval))
            let fingerprint = try #require(PublicKey(machine.publicKey)).fingerprint
            _ = try await stage.access.approve(
                FingerprintPrefix("\(fingerprint)"), as: KeyName("left-arm"), role: .node, by: .coordinator)
            #expect(
                try await stage.join(wanted, as: machine)
                    == .admitted(stage.admission("left-arm", .node), endpoint: stage.endpoint))
        }
    }

    @Test func `A key that is refused elsewhere learns here why`() async throws {
        try await stage.serve { stage in
            let machine = try CurveKeyPair.generate()
            let unknown = await #expect(throws: JoinError.self) { try await stage.join(.standing, as: machine) }
            #expect(unknown?.code == .refused("notFound"))
            _ = try await stage.join(try await stage.code("left-arm", .node), as: machine)
            _ = try await stage.join(.standing, as: machine)
            _ = try await stage.access.admit(Self.admin(), as: KeyName("anna"), role: .admin, by: .coordinator)
            _ = try await stage.access.revoke("left-arm", by: .coordinator)
            let revoked = await #expect(throws: JoinError.self) { try await stage.join(.standing, as: machine) }
            #expect(revoked?.code == .refused("revoked") && revoked?.description.contains("another code") == true)
        }
    }

    @Test func `A machine without a code asks until it is approved, and tells once that it waits`() async throws {
        try await stage.serve { stage in
            let machine = try CurveKeyPair.generate()
            let time = ManualTimeSource()
            let waits = Locked(0)
            let asking = Task {
                try await stage.client(time).requestApproval(
                    as: KeyName("left-arm"), .node, at: stage.endpoint, coordinator: stage.key, keys: machine,
                    within: .seconds(3600)
                ) { waits.withLock { $0 += 1 } }
            }
            while waits.withLock({ $0 }) == 0 { await Task.yield() }
            let next = time.now() + AttemptLimiter.interval
            await time.sleeper(until: next)
            stage.clock.advance(by: AttemptLimiter.interval)
            time.advance(to: next)
            let fingerprint = try #require(PublicKey(machine.publicKey)).fingerprint
            _ = try await stage.access.approve(
                FingerprintPrefix("\(fingerprint)"), as: KeyName("left-arm"), role: .node, by: .coordinator)
            let (admission, endpoint) = try await ask(asking, time)
            #expect(try admission == stage.admission("left-arm", .node) && endpoint == stage.endpoint)
            #expect(waits.withLock { $0 } == 1)
        }
    }

    /// The result of a task that asks again after each pause.
    private func ask<Value>(_ task: Task<Value, any Error>, _ time: ManualTimeSource) async throws -> Value {
        let clock = Task { [stage] in
            while !Task.isCancelled {
                let end = time.now() + AttemptLimiter.interval
                await time.sleeper(until: end)
                stage.clock.advance(by: AttemptLimiter.interval)
                time.advance(to: end)
            }
        }
        defer { clock.cancel() }
        return try await task.value
    }

    @Test func `A coordinator on another channel and another program are told apart`() async throws {
        try await stage.serve { stage in
            let other = try CurveKeyPair.generate()
            let join = try #require(TCPEndpoint(stage.endpoint.zeroMQEndpoint))
            let mine = try #require(CurvePublicKey(bytes: try stage.key.bytes))
            #expect(try await stage.client().probe(join, keys: other, coordinator: mine) == .admits)
            #expect(try await stage.client().probe(join, keys: other, coordinator: other.publicKey) == .another)
            // The client's clock stands still, so patience does not matter.
            let closed = try #require(TCPEndpoint("tcp://127.0.0.1:1"))
            let still = stage.client(ManualTimeSource())
            #expect(try await still.probe(closed, keys: other, coordinator: mine) == .nothing)
            let control = try await stage.control()
            let endpoint = try JoinEndpoint(String(control.endpoint.dropFirst("tcp://".count)))
            #expect(
                try await stage.client().probe(#require(TCPEndpoint(control.endpoint)), keys: other, coordinator: mine)
                    == .refuses)
            let error = await #expect(throws: JoinError.self) {
                try await stage.client().join(.standing, at: [endpoint], coordinator: stage.key, keys: other)
            }
            #expect(error?.code == .wrongChannel && error?.description.contains("7715") == true)
            await control.socket.close()
        }
    }

    @Test func `A thousand guesses get five answers, and the right code still works`() async throws {
        try await stage.serve { stage in
            let code = try await stage.code("left-arm", .node)
            let socket = try await stage.dealer(try .generate())
            var generator = SplitMix64(seed: 1)
            var counts: [String: Int] = [:]
            for number in 1...1000 as ClosedRange<UInt64> {
                var guess = WireJoin()
                (guess.requestID, guess.protocolVersion) = (number, ProtocolVersion.current)
                guess.means = JoinMeans.token(JoinToken(using: &generator)).wire
                _ = await socket.send(Message([MessagePart(try WireCoding.join.encode(guess))]))
                let answer = try #require(await socket.receive())
                let reply = try WireCoding.join.decode(WireJoinReply.self, from: answer.parts[0].bytes)
                #expect(reply.requestID == number)
                counts[reply.refusal.code, default: 0] += 1
                #expect((reply.refusal.code == "tooManyAttempts") == reply.refusal.hasRetryAfterNs)
            }
            #expect(counts == ["unknownCode": 5, "tooManyAttempts": 995])
            #expect(stage.audit.events.count == 1, "only the invitation")
            stage.clock.advance(by: AttemptLimiter.interval)
            _ = try await stage.join(code, as: try .generate())
        }
    }

    @Test(arguments: [0, 1, 4097])
    func `A message that is not a request is dropped and counted, and the next is answered`(byteCount: Int) async throws
    {
        try await stage.serve { stage in
            let code = try await stage.code("left-arm", .node)
            let socket = try await stage.dealer(try .generate())
            _ = await socket.send(Message([MessagePart([UInt8](repeating: 0xFF, count: byteCount))]))
            _ = try await stage.join(code, as: try .generate())
        }
    }

    @Test func `A request of another version is told which versions there are`() async throws {
        try await stage.serve { stage in
            let socket = try await stage.dealer(try .generate())
            var request = WireJoin()
            (request.requestID, request.protocolVersion, request.standing) = (7, 99, WireStanding())
            _ = await socket.send(Message([MessagePart(try WireCoding.join.encode(request))]))
            let answer = try #require(await socket.receive())
            let reply = try WireCoding.join.decode(WireJoinReply.self, from: answer.parts[0].bytes)
            #expect(reply.refusal.code == "protocolViolation" && reply.refusal.message.contains("99"))
        }
    }

    private static func admin() throws -> PublicKey {
        try #require(PublicKey(try CurveKeyPair.generate().publicKey))
    }
}

@Suite struct AccessAuditLogTests {
    @Test func `An admission is in the log with its key, its role and who decided it`() async throws {
        let folder = try TemporaryFolder()
        let log = try AuditLog(
            folder: folder.path + "/audit", clock: SystemTimeSource(), executor: try ThreadExecutor(name: "audit"))
        let access = try await AccessControl(
            store: MemoryKeys(), audit: AccessAuditLog(log: log), clock: SystemTimeSource())
        let key = try #require(PublicKey(try CurveKeyPair.generate().publicKey))
        _ = try await access.admit(key, as: KeyName("left-arm"), role: .node, by: .coordinator)
        let records = try await AuditReader(folder: folder.path + "/audit").list(limit: 10).records
        let entry = try #require(records.first?.entry, "it is durable before it takes effect")
        #expect(entry.kind == .admission && entry.principal.name == "coordinator" && entry.subject == "left-arm")
        #expect(entry.details == ["fingerprint": "\(key)", "means": "direct", "role": "node"])
        try await log.close()
    }
}

/// A coordinator's keys, its join channel and a clock that a test moves.
struct JoinStage {
    let context: ZeroMQContext
    let executor: SocketExecutor
    let access: AccessControl
    let store = MemoryKeys()
    let audit = MemoryAudit()
    let clock = ManualTimeSource()
    let endpoint: JoinEndpoint
    private let server: CurveKeyPair
    private let gate: ConnectionGate
    private let service: JoinService

    var key: PublicKey {
        get throws { try #require(PublicKey(server.publicKey)) }
    }

    init() async throws {
        context = try ZeroMQContext()
        executor = try SocketExecutor(name: "zmq-test")
        server = try .generate()
        let access = try await AccessControl(store: store, audit: audit, clock: clock)
        self.access = access
        gate = try ConnectionGate(of: context, snapshot: { access.snapshot }, refused: { _ in })
        var options = SocketOptions()
        options.security = .channel(.join, server)
        options.maximumMessageSize = WireCoding.join.maximumByteCount
        let socket = try RouterSocket(
            context: context, executor: try SocketExecutor(name: "zmq-join"), options: options)
        let bound = try await socket.bind(to: "tcp://127.0.0.1:*")
        endpoint = try JoinEndpoint(String(bound.dropFirst("tcp://".count)))
        let facts = JoinFacts(rig: try RigName("studio"), controlPort: 7710, clientPort: 7713)
        service = JoinService(
            socket: socket, access: access, facts: facts, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs the service while `body` runs.
    func serve(_ body: (JoinStage) async throws -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { [service] in await service.run() }
            try await body(self)
            group.cancelAll()
        }
        withExtendedLifetime(gate) {}
    }

    func code(
        _ name: String, _ role: Role, coordinator: PublicKey? = nil, before: [JoinEndpoint] = []
    ) async throws -> JoinCode {
        let issued = try await access.invite(KeyName(name), role: role, by: .coordinator)
        return try JoinCode(
            endpoints: before + [endpoint], coordinator: try coordinator ?? key, token: issued.token,
            name: KeyName(name), role: role, rig: RigName("studio"))
    }

    func admission(_ name: String, _ role: Role) throws -> JoinAdmission {
        JoinAdmission(
            name: try KeyName(name), role: role, rig: try RigName("studio"), controlPort: 7710, clientPort: 7713)
    }

    func client(_ time: any TimeSource = SystemTimeSource()) -> JoinClient {
        JoinClient(context: context, executor: executor, time: time)
    }

    func join(_ code: JoinCode, as keys: CurveKeyPair) async throws -> JoinOutcome {
        // As pasted.
        let code = try JoinCode("\(code.text)\n")
        return try await client().join(
            .token(code.token), at: code.endpoints, coordinator: code.coordinator, keys: keys)
    }

    func join(_ means: JoinMeans, as keys: CurveKeyPair) async throws -> JoinOutcome {
        try await client().join(means, at: [endpoint], coordinator: try key, keys: keys)
    }

    func dealer(_ keys: CurveKeyPair) async throws -> DealerSocket {
        var options = SocketOptions()
        options.security = .client(keys, server: server.publicKey)
        let socket = try DealerSocket(context: context, executor: executor, options: options)
        try await socket.connect(to: endpoint.zeroMQEndpoint)
        return socket
    }

    /// A control channel of the same coordinator.
    func control() async throws -> (socket: RouterSocket, endpoint: String) {
        var options = SocketOptions()
        options.security = .channel(.control, server)
        let socket = try RouterSocket(context: context, executor: executor, options: options)
        return (socket, try await socket.bind(to: "tcp://127.0.0.1:*"))
    }

    /// An address at which nothing listens. A port that was just closed may still accept a connection, and end it.
    let deaf = "127.0.0.1:1"
}
