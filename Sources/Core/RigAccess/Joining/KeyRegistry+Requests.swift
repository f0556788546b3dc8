public import CaptureModel
public import RigSecurity

/// The answer to a request for approval.
public enum RequestOutcome: Hashable, Sendable {
    /// An admin has not answered yet; the machine shows the fingerprint and asks again.
    case waiting(JoinRequest)
    /// The key is admitted, by the approval or before.
    case admitted(KeyHolder)
}

/// Joining by approval, for machines into which nothing can be pasted.
extension KeyRegistry {
    /// The fewest characters of a fingerprint with which a request is approved: 72 bits. With fewer, somebody could make
    /// a key whose fingerprint begins like the one that the admin reads.
    public static let approvalLength = 12

    /// Asks for admission, and for the answer. A machine repeats it until it is answered, and not more often than a
    /// permit of ``AttemptLimiter/interval`` allows.
    /// - Throws: `declined`, `revoked`, `nameTaken` or `reservedName`.
    public mutating func request(
        _ name: KeyName, role: Role, for key: PublicKey, permit: AttemptPermit, at now: WallTime
    ) throws(AccessError) -> RequestOutcome {
        if let record = ring.records[key] {
            guard record.isActive else { throw KeyRing.revoked(record, "request") }
            return .admitted(record.holder)
        }
        if case .declined(let principal, _) = joinRequests[key]?.state {
            throw AccessError(
                .declined, "request", "\(key)", "\(principal.name) has declined the request of key \(key)",
                remedy: "ask an admin of the rig; an admin can still approve it")
        }
        try ring.checkFree(name, "request")
        let request = JoinRequest(key: key, name: name, role: role, askedAt: now, source: permit.source)
        joinRequests.ask(request, limit: limits.requests)
        counters.displacedRequests = joinRequests.displaced
        return .waiting(joinRequests[key] ?? request)
    }

    /// Admits the key of a request, waiting or declined. The admin decides name and role, because a request may change
    /// after the admin has seen it.
    /// - Returns: `repeated` if the key was admitted before with this name and role.
    /// - Throws: `tooShort`, `notFound`, `ambiguous`, `nameTaken`, `reservedName` or `full`.
    public mutating func approve(
        _ prefix: FingerprintPrefix, as name: KeyName, role: Role, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        guard prefix.length >= Self.approvalLength else {
            throw AccessError(
                .tooShort, "approve", "\(prefix)",
                "\(prefix.length) characters of a fingerprint are too few to approve a "
                    + "key, because other keys can be made that begin alike",
                remedy: "write at least \(Self.approvalLength) of its characters, as the machine that joins shows them")
        }
        let holders = ring.activeKeys(of: name).compactMap { ring.activeRecord($0)?.holder }
        if let holder = holders.first(where: { prefix.matches($0.key.fingerprint) && $0.role == role }) {
            return .repeated(holder)
        }
        let key = try requester(prefix, "approve")
        try ring.checkAdmission(of: key, as: name, limit: limits.keys, "approve")
        let holder = KeyHolder(name: name, role: role, key: key)
        insert(holder, Admission(means: .approval, by: principal, at: now))
        return .admitted(holder)
    }

    /// Declines a request. Its key is told so until the coordinator restarts or other requests displace it.
    /// - Throws: `notFound` or `ambiguous`.
    public mutating func decline(
        _ prefix: FingerprintPrefix, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> JoinRequest {
        let key = try requester(prefix, "decline")
        joinRequests.decline(key, by: principal, at: now)
        guard let request = joinRequests[key] else { throw Self.noRequest(prefix, "decline") }
        return request
    }

    /// Returns this registry with the requests of another state of it, but for those of keys that are known here.
    func adopting(requestsOf other: KeyRegistry) -> KeyRegistry {
        var adopted = self
        adopted.joinRequests = other.joinRequests
        for request in other.requests where ring.records[request.key] != nil {
            adopted.joinRequests.remove(request.key)
        }
        adopted.counters.displacedRequests = adopted.joinRequests.displaced
        return adopted
    }

    private func requester(_ prefix: FingerprintPrefix, _ operation: String) throws(AccessError) -> PublicKey {
        switch prefix.match(in: joinRequests.entries.map(\.key)) {
        case .one(let key): return key
        case .ambiguous: throw Self.ambiguous(operation, "\(prefix)")
        case .none: throw Self.noRequest(prefix, operation)
        }
    }

    private static func noRequest(_ prefix: FingerprintPrefix, _ operation: String) -> AccessError {
        AccessError(
            .notFound, operation, "\(prefix)", "no request has a fingerprint that begins with \(prefix)",
            remedy: "compare it with the machine that joins; it must be asking at this moment")
    }
}
