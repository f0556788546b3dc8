internal import CaptureModel
internal import HTTPTypes
internal import NIOCore
internal import RigSecurity
internal import ServiceLifecycle

internal import class PosixSupport.Locked

/// Watches a streamed answer: ends its connection when its session is no longer valid, when its reader takes nothing, or when the gateway ends.
///
/// A write to a reader that takes nothing does not return, so the connection is closed under it.
struct StreamWatch: Sendable {
    /// How long one write may take.
    static let patience = Duration.seconds(15)

    private let rig: GatewayRig
    private let session: SessionSecret?
    private let permission: Permission
    private let channel: any Channel
    /// When the write under way has begun.
    private let writing = Locked<LocalTime?>(nil)

    /// - Parameter permission: What the session has to keep.
    init(_ rig: GatewayRig, _ context: GatewayContext, needing permission: Permission) {
        self.rig = rig
        self.permission = permission
        session = context.session
        channel = context.channel
    }

    /// Begins to watch.
    /// - Returns: What to cancel when the answer is complete.
    func begin() -> Task<Void, Never> {
        // Unstructured, since the writer of an answer cannot be handed to a task of a group.
        Task {
            await cancelWhenGracefulShutdown { await watch() }
            if !Task.isCancelled { channel.close(mode: .all, promise: nil) }
        }
    }

    /// Call before each write.
    func willWrite() { writing.withLock { $0 = rig.time.now() } }

    /// Call after each write.
    func didWrite() { writing.withLock { $0 = nil } }

    /// Returns when the stream is to end.
    private func watch() async {
        var check = SessionCheck(rig.time)
        while (try? await rig.time.sleep(for: SessionCheck.interval)) != nil {
            let begun = writing.withLock(\.self)
            let stands = begun.map { rig.time.now() >= $0 + Self.patience } ?? false
            let standing = await SessionStanding.asked(of: session, needing: permission, rig.client)
            guard !stands, check.ending(standing) == nil else { return }
        }
    }
}

/// Decides whether a stream of a session may go on, each time that the coordinator was asked about the session.
struct SessionCheck {
    /// How often it is asked. A session that was ended ends its streams within twice this time.
    static let interval = Duration.seconds(1)
    /// How long a session goes on that cannot be checked, because the coordinator does not answer.
    static let trust = Duration.seconds(60)

    private let time: any TimeSource
    private var verified: LocalTime

    /// - Parameter time: The session is valid now.
    init(_ time: any TimeSource) {
        self.time = time
        verified = time.now()
    }

    /// Why the session may not go on; nil if it may.
    mutating func ending(_ standing: SessionStanding) -> GatewayProblem? {
        switch standing {
        case .valid: verified = time.now()
        case .refused(let problem): return problem
        case .unknown(let reason):
            guard time.now() < verified + Self.trust else {
                return GatewayProblem(.serviceUnavailable, "noCoordinator", "this session cannot be checked: \(reason)")
            }
        }
        return nil
    }
}
