public import CaptureModel
public import RigSecurity

/// What a person's text selects.
public enum KeySelection: Hashable, Sendable {
    /// The keys of a name: two during a rotation.
    case name(KeyName)
    case key(PublicKey)
}

/// The result of admitting a key.
public enum AdmissionOutcome: Hashable, Sendable {
    case admitted(KeyHolder)
    /// The key was admitted before with the same right, and nothing changed.
    case repeated(KeyHolder)

    public var holder: KeyHolder {
        switch self {
        case .admitted(let holder), .repeated(let holder): holder
        }
    }
}

/// Operations on known keys.
extension KeyRegistry {
    /// Admits a key without invitation or request, such as that of the coordinator's own machine.
    /// - Returns: `repeated` if the key has this name and role already.
    /// - Throws: `revoked`, `keyInUse`, `nameTaken`, `reservedName` or `full`.
    public mutating func admit(
        _ key: PublicKey, as name: KeyName, role: Role, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        let holder = KeyHolder(name: name, role: role, key: key)
        if ring.activeRecord(key)?.holder == holder { return .repeated(holder) }
        try ring.checkAdmission(of: key, as: name, limit: limits.keys, "admit")
        insert(holder, Admission(means: .direct, by: principal, at: now))
        return .admitted(holder)
    }

    /// Finds what a person means by a name, or by the beginning of a fingerprint. A name goes first.
    /// - Throws: `notFound` or `ambiguous`.
    public func select(_ text: String) throws(AccessError) -> KeySelection {
        if let name = try? KeyName(text), ring.records.values.contains(where: { $0.holder.name == name }) {
            return .name(name)
        }
        switch (try? FingerprintPrefix(text))?.match(in: ring.records.keys) {
        case .one(let key): return .key(key)
        case .ambiguous: throw Self.ambiguous("select", text)
        case .none?, nil:
            throw AccessError(
                .notFound, "select", text.excerpt,
                "no key has the name '\(text.excerpt)', or a fingerprint that begins so",
                remedy: "`capctl keys list` shows names and fingerprints")
        }
    }

    /// Revokes keys for ever. Their names are free afterwards.
    /// - Returns: The holders whose keys were active; none if all were revoked before.
    /// - Throws: `notFound`, or `lastAdmin` if no admin would be left.
    public mutating func revoke(
        _ selection: KeySelection, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> [KeyHolder] {
        let active = try keys(of: selection).compactMap { ring.activeRecord($0)?.holder }
        guard !active.isEmpty else { return [] }
        let admins = active.count { $0.role == .admin }
        guard admins == 0 || ring.adminCount > admins else {
            throw AccessError(
                .lastAdmin, "revoke", "\(active[0].name)",
                "'\(active[0].name)' has the only key of an admin, and nobody "
                    + "could manage the rig's keys without it",
                remedy: "admit the key of another admin first")
        }
        for holder in active {
            ring.revoke(holder.key, Revocation(by: principal, at: now, replacement: nil))
            moveSessions(of: holder.key, to: nil)
        }
        forgetRevoked()
        revision += 1
        return active
    }

    /// Gives the keys of a name another name.
    /// - Returns: The holders with their name afterwards.
    /// - Throws: `notFound`, `nameTaken` or `reservedName`.
    public mutating func rename(_ old: KeyName, to new: KeyName) throws(AccessError) -> [KeyHolder] {
        try ring.checkKnown(old, "rename")
        if old != new {
            try ring.checkFree(new, "rename")
            ring.rename(old, to: new)
            revision += 1
        }
        return ring.activeKeys(of: new).compactMap { ring.activeRecord($0)?.holder }
    }

    /// The known keys of a selection, active or revoked.
    private func keys(of selection: KeySelection) throws(AccessError) -> [PublicKey] {
        switch selection {
        case .name(let name):
            let known = ring.records.values.filter { $0.holder.name == name }.map(\.holder.key)
            if known.isEmpty { try ring.checkKnown(name, "revoke") }
            return known
        case .key(let key):
            guard ring.records[key] != nil else {
                throw AccessError(
                    .notFound, "revoke", "\(key)", "the rig does not know key \(key)",
                    remedy: "`capctl keys list` shows the keys")
            }
            return [key]
        }
    }

    mutating func forgetRevoked() {
        counters.forgottenKeys += UInt64(ring.forgetRevoked(beyond: limits.revokedKeys))
    }

    static func ambiguous(_ operation: String, _ text: String) -> AccessError {
        AccessError(
            .ambiguous, operation, text.excerpt,
            "several keys have a fingerprint that begins with "
                + "'\(text.excerpt)'",
            remedy: "write more of its characters")
    }
}
