internal import CaptureModel
internal import PosixSupport
internal import RigSecurity
public import ZeroMQ

/// Where the coordinator's key is kept between the runs of a client's program.
public struct CoordinatorKeyKeeper: Sendable {
    let kept: @Sendable () -> CurvePublicKey?
    let keep: @Sendable (CurvePublicKey, _ old: CurvePublicKey) -> Void

    /// - Parameters:
    ///   - kept: Reads the key that is kept, which another program may have replaced; nil if there is none. It may block on a disk.
    ///   - keep: Keeps a key instead of the one before it, if that is still kept. It may block on a disk.
    public init(
        kept: @escaping @Sendable () -> CurvePublicKey?,
        keep: @escaping @Sendable (CurvePublicKey, _ old: CurvePublicKey) -> Void
    ) {
        (self.kept, self.keep) = (kept, keep)
    }

    /// Keeps no key.
    public static let memory = CoordinatorKeyKeeper(kept: { nil }, keep: { _, _ in })
}

/// When a client looks for a new key of its coordinator: once at a time, and not more often than once a second.
///
/// A connection that ends before the coordinator has proved its key does not prove that there is another one: the program may be another coordinator, or
/// accept no further connection. So the client asks, and goes on as before if nothing is found.
struct KeyFollowing: Sendable {
    private static let pause = Duration.seconds(1)

    let keeper: CoordinatorKeyKeeper
    private var state: State

    private enum State {
        case idle(since: LocalTime?)
        case asking
        /// The client is itself one that asks.
        case never
    }

    init(_ keeper: CoordinatorKeyKeeper) {
        (self.keeper, state) = (keeper, .idle(since: nil))
    }

    /// Of a client that takes no other key than the one that it was given.
    static var never: KeyFollowing {
        var following = KeyFollowing(.memory)
        following.state = .never
        return following
    }

    /// - Returns: Whether to ask now.
    mutating func begins(at now: LocalTime) -> Bool {
        guard case .idle(let since) = state, since.map({ now - $0 >= Self.pause }) ?? true else { return false }
        state = .asking
        return true
    }

    mutating func ended(at now: LocalTime) {
        state = .idle(since: now)
    }
}

extension RigClient {
    /// Finds the coordinator's new key: where it is kept, or told by the coordinator at its second port, where it proves the old one.
    /// - Returns: nil if the coordinator has no other key, or does not tell.
    func newCoordinatorKey(insteadOf known: ClientKeys, keeper: CoordinatorKeyKeeper) async -> CurvePublicKey? {
        guard let thread = try? KeeperThread() else { return nil }
        if let kept = await thread.call(keeper.kept), kept != known.coordinator { return kept }
        guard let told = await keyAtSecondPort(known), told != known.coordinator else { return nil }
        await thread.call { keeper.keep(told, known.coordinator) }
        return told
    }

    private func keyAtSecondPort(_ known: ClientKeys) async -> CurvePublicKey? {
        guard let second = SecondPort.endpoint(of: endpoint),
            let client = try? RigClient(
                context: context, executor: executor, time: time, patience: patience, name: "", keys: known,
                following: .never)
        else { return nil }
        let status = try? await client.statusOnce(at: second)
        await client.close()
        return status?.coordinatorKey.flatMap { CurvePublicKey(bytes: $0.bytes) }
    }

    private func statusOnce(at endpoint: String) async throws(RigClientError) -> RigStatus {
        try await connect(to: endpoint)
        return try await status()
    }
}

/// Calls a keeper on a separate thread, since it may block on a disk.
private actor KeeperThread {
    private let executor: ThreadExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init() throws(PosixError) {
        executor = try ThreadExecutor(name: "coordinator-key")
    }

    func call<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
}
