public import CaptureModel
internal import DaemonSupport
internal import KeyFiles
public import PosixSupport
internal import RigClient
public import RigConfiguration
internal import RigJoining
internal import RigSecurity
internal import ZeroMQ

/// Finds out how this machine reaches others.
public struct ReachProbe: Sendable {
    /// How long a machine may take to answer.
    public static let patience = Duration.seconds(3)

    private let time: any TimeSource

    public init(time: any TimeSource) {
        self.time = time
    }

    /// Asks for a node's coordinator, with the node's keys. Nothing is sent to it but the beginning of connections.
    /// - Parameters:
    ///   - folder: The node's keys.
    ///   - environment: The variables of the process, for `CREDENTIALS_DIRECTORY`.
    public func coordinator(
        _ endpoint: TCPEndpoint, keys folder: String, environment: [String: String]
    ) async -> CoordinatorFacts {
        var facts = CoordinatorFacts(endpoint, keys: .unanswered)
        do {
            try await HostCheck(time: time).check(endpoint.host, of: endpoint.description)
        } catch {
            facts.obstacle = (error as? UnresolvedHost)?.reason ?? "\(error)"
        }
        let channels: [(CoordinatorPort, TCPEndpoint)] = [.control, .clock, .collect].compactMap { channel in
            endpoint.channel(channel, from: .control).map { (channel, $0) }
        }
        if facts.obstacle == nil {
            let answers = await Self.answers(of: channels.map(\.1))
            facts.channels = zip(channels, answers).map { .init($0.0, port: $0.1.port, $1) }
        }
        facts.interface = facts.ownAddress.flatMap(NetworkAddresses.interface)
        facts.keys = await standing(endpoint, folder, environment, isReached: facts.ownAddress != nil)
        return facts
    }

    private func standing(
        _ endpoint: TCPEndpoint, _ folder: String, _ environment: [String: String], isReached: Bool
    ) async -> CoordinatorFacts.Keys {
        do {
            let pair = try KeyFile(KeyFile.agentName, in: folder, environment: environment).load()
            let known = try CoordinatorKeyFile(in: folder, remedy: "join its rig again: capagentd join CODE").load()
            guard isReached else { return .unanswered }
            return try await ask(endpoint, pair, known.key)
        } catch let error as KeyFileError {
            return error.code == .missing ? .missing : .unusable("\(error)")
        } catch {
            return .unanswered
        }
    }

    private func ask(
        _ endpoint: TCPEndpoint, _ pair: CurveKeyPair, _ coordinator: CurvePublicKey
    ) async throws -> CoordinatorFacts.Keys {
        let context = try ZeroMQContext()
        let client = JoinClient(context: context, executor: try SocketExecutor(name: "probe"), time: time)
        switch try await client.probe(endpoint, keys: pair, coordinator: coordinator) {
        case .admits: return .admitted
        case .nothing: return .unanswered
        case .another: return .foreign
        case .refuses:
            let told = await StandingQuery.ask(endpoint, keys: pair, coordinator: coordinator, context: context)
            if case .refused(let sentence)? = told?.standing { return .refused(sentence) }
            return .refused(nil)
        }
    }

    /// Returns what answers at each endpoint, in their order. Waits at most for ``patience`` for each address.
    public static func answers(of endpoints: [TCPEndpoint]) async -> [TCPCheck.Answer] {
        await withCheckedContinuation { continuation in
            let body: @Sendable () -> Void = {
                continuation.resume(returning: BlockingCalls.map(endpoints, threads: "reach", answer))
            }
            // The thread ends with its answer, so it is not joined.
            guard let thread = try? NamedThread(name: "reach", body) else {
                return continuation.resume(returning: endpoints.map { _ in .silent })
            }
            thread.detach()
        }
    }

    /// Whether an endpoint is one of this machine. A coordinator that listens on every address is named by none.
    public static func isHere(_ endpoint: TCPEndpoint) -> Bool {
        endpoint.isLoopback || ["*", "0.0.0.0", "::", "[::]"].contains(endpoint.host)
            || ((try? NetworkAddresses.ofThisMachine()) ?? []).contains(endpoint.host)
    }

    /// The answer of the first address that accepts a connection, else of the first one.
    private static func answer(of endpoint: TCPEndpoint) -> TCPCheck.Answer {
        let addresses = (try? HostAddresses.of(endpoint.host)) ?? []
        var first: TCPCheck.Answer?
        for address in addresses.prefix(2) {
            let answer = TCPCheck.connect(to: address, port: endpoint.port, within: patience)
            if case .open = answer { return answer }
            first = first ?? answer
        }
        return first ?? .silent
    }
}

extension CoordinatorFacts {
    /// This machine's address on the connection to the coordinator; nil if there was none.
    fileprivate var ownAddress: String? {
        channels.lazy.compactMap { channel in
            guard channel.channel == .control, case .open(let connection) = channel.answer else { return nil }
            return connection.ownAddress
        }.first
    }
}
