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

    private(set) var entries: [JoinRequest] = []
    private(set) var displaced: UInt64 = 0

    subscript(_ key: PublicKey) -> JoinRequest? { entries.first { $0.key == key } }

    /// Adds a request, or updates the one of its key. Beyond the limit of its source, the oldest of this source goes;
    /// beyond the limit of all, the oldest that is declined, or else the oldest.
    mutating func ask(_ request: JoinRequest, limit: Int) {
        if let index = entries.firstIndex(where: { $0.key == request.key }) {
            entries[index].name = request.name
            entries[index].role = request.role
            return
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
    }

    mutating func decline(_ key: PublicKey, by principal: Principal, at now: WallTime) {
        guard let index = entries.firstIndex(where: { $0.key == key }) else { return }
        entries[index].state = .declined(by: principal, at: now)
    }

    mutating func remove(_ key: PublicKey) { entries.removeAll { $0.key == key } }

    private mutating func displace(_ isCandidate: (JoinRequest) -> Bool) {
        guard let index = entries.firstIndex(where: isCandidate) else { return }
        entries.remove(at: index)
        displaced += 1
    }
}
