public import CaptureModel
internal import PosixSupport

/// Checks that a host has an address before anything connects to it: a socket silently retries an unknown name forever.
public struct HostCheck: Sendable {
    /// How long the name servers may take.
    public static let patience = Duration.seconds(3)

    private let time: any TimeSource
    private let lookUp: @Sendable (String) -> String?

    public init(time: any TimeSource) {
        self.init(time: time, lookUp: HostLookup.obstacle)
    }

    /// - Parameter lookUp: Returns why a host has no address; may block.
    init(time: any TimeSource, lookUp: @escaping @Sendable (String) -> String?) {
        self.time = time
        self.lookUp = lookUp
    }

    /// Waits for the resolver's answer, at most ``patience``.
    /// - Parameter endpoint: The endpoint with the host, for the message.
    /// - Throws: ``UnresolvedHost``; `PosixError` if no thread can be started.
    public func check(_ host: String, of endpoint: String) async throws {
        let (answers, answer) = AsyncStream.makeStream(of: String?.self)
        // A look-up cannot be stopped, so the thread is not joined: it ends with its answer.
        let thread = try NamedThread(name: "resolve") { [lookUp] in
            answer.yield(lookUp(host))
            answer.finish()
        }
        thread.detach()
        let obstacle = await withTaskGroup(of: String?.self) { [time] group in
            group.addTask {
                for await obstacle in answers { return obstacle }
                return nil
            }
            group.addTask {
                try? await time.sleep(for: Self.patience)
                return "no name server answers within \(Self.patience.text)"
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if let obstacle { throw UnresolvedHost(host: host, endpoint: endpoint, reason: obstacle) }
    }
}
