public import CaptureModel
public import RigSecurity

/// The wish of a machine that has no code to be admitted, until an admin has compared its fingerprint.
public struct JoinRequest: Hashable, Sendable {
    public enum State: Hashable, Sendable {
        case waiting
        /// An admin has declined it. It is kept so that the machine, which asks again, gets the answer.
        case declined(by: Principal, at: WallTime)
    }

    public let key: PublicKey
    /// What the machine asks for. An admin's approval decides name and role.
    public internal(set) var name: KeyName
    public internal(set) var role: Role
    /// When it asked first.
    public let askedAt: WallTime
    public let source: AttemptLimiter.Source
    public internal(set) var state: State = .waiting
}

/// The requests of a registry, the oldest first. Only in memory, because strangers make them: a machine repeats its
/// request until it is answered, also after a restart of the coordinator.
struct JoinRequests: Hashable, Sendable {
    /// The most requests of one source, so that one machine cannot displace the requests of others.
    static let limitOfSource = 8

    private var entries: [JoinRequest] = []
    private var displacedCount: UInt64 = 0

    /// All requests, waiting and declined, the oldest first.
    var list: [JoinRequest] { entries }

    /// How many were displaced.
    var displaced: UInt64 { displacedCount }

    /// - Throws: `declined`.
    func checkNotDeclined(_ key: PublicKey) throws(AccessError) {
        if case .declined(let principal, _) = entries.first(where: { $0.key == key })?.state {
            throw AccessError(
                .declined, "request", "\(key)", "\(principal.name) has declined the request of key \(key)",
                remedy: "ask an admin of the rig; an admin can still approve it")
        }
    }

    /// Adds a request, or updates the one of its key. Beyond the limit of its source, the oldest of this source goes;
    /// beyond the limit of all, the oldest that is declined, or else the oldest.
    /// - Returns: The request of the key.
    mutating func ask(_ request: JoinRequest, limit: Int) -> JoinRequest {
        if let index = entries.firstIndex(where: { $0.key == request.key }) {
            entries[index].name = request.name
            entries[index].role = request.role
            return entries[index]
        }
        if entries.count(where: { $0.source == request.source }) >= Self.limitOfSource {
            displace { $0.source == request.source }
        }
        if entries.count >= limit {
            displace { [hasDeclined = entries.contains { $0.state != .waiting }] in
                hasDeclined ? $0.state != .waiting : true
            }
        }
        entries.append(request)
        return request
    }

    /// Returns the key that asks and whose fingerprint begins so.
    /// - Throws: `notFound` or `ambiguous`.
    func key(_ prefix: FingerprintPrefix, _ operation: String) throws(AccessError) -> PublicKey {
        switch prefix.match(in: entries.map(\.key)) {
        case .one(let key): return key
        case .ambiguous: throw .ambiguous(operation, "\(prefix)")
        case .none: throw Self.noRequest(prefix, operation)
        }
    }

    /// - Throws: `notFound` or `ambiguous`.
    mutating func decline(
        _ prefix: FingerprintPrefix, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> JoinRequest {
        let key = try key(prefix, "decline")
        guard let index = entries.firstIndex(where: { $0.key == key }) else { throw Self.noRequest(prefix, "decline") }
        entries[index].state = .declined(by: principal, at: now)
        return entries[index]
    }

    private static func noRequest(_ prefix: FingerprintPrefix, _ operation: String) -> AccessError {
        AccessError(
            .notFound, operation, "\(prefix)", "no request has a fingerprint that begins with \(prefix)",
            remedy: "compare it with the machine that joins; it must be asking at this moment")
    }

    mutating func remove(_ key: PublicKey) { entries.removeAll { $0.key == key } }

    private mutating func displace(_ isCandidate: (JoinRequest) -> Bool) {
        guard let index = entries.firstIndex(where: isCandidate) else { return }
        entries.remove(at: index)
        displacedCount += 1
    }
}
