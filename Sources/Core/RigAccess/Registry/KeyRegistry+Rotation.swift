public import CaptureModel
public import RigSecurity

/// Replacing a key by another of the same name. Both are valid until the new one is confirmed by its use, or until an
/// admin ends the rotation. The name and the role stay.
///
/// | event | old key | new key |
/// |---|---|---|
/// | `rotate` | active | active |
/// | `confirmRotation`, `endRotation(keeping: .new)` | revoked: replaced | active |
/// | `endRotation(keeping: .old)` | active | revoked |
/// | `revoke` of the name | revoked | revoked |
/// | `revoke` of one key | as it says | the other stays |
extension KeyRegistry {
    /// The key of a rotation that stays.
    public enum RotationEnd: Hashable, Sendable {
        case old
        case new
    }

    /// Begins a rotation.
    /// - Returns: The holder of the new key; the same again for the same key.
    /// - Throws: `notFound`, `rotating`, `revoked`, `keyInUse` or `full`.
    public mutating func rotate(
        _ name: KeyName, to key: PublicKey, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> AdmissionOutcome {
        try ring.checkKnown(name, "rotate")
        if case .rotating(_, key) = ring.owners[name], let record = ring.activeRecord(key) {
            return .repeated(record.holder)
        }
        guard case .single(let old) = ring.owners[name], let role = ring.activeRecord(old)?.holder.role else {
            throw AccessError(
                .rotating, "rotate", "\(name)", "'\(name)' is changing its key already",
                remedy: "wait until its new key is used, or end the rotation first")
        }
        try ring.checkUnused(key, "rotate")
        try ring.checkRoom(limits.keys, "rotate", "\(name)")
        let holder = KeyHolder(name: name, role: role, key: key)
        insert(holder, Admission(means: .rotation, by: principal, at: now), rotatesFrom: old)
        return .admitted(holder)
    }

    /// Notes that a connection with this key works. If it is the new key of a rotation, the old one ends.
    /// - Returns: The holder whose key has ended; nil if the key is in no rotation, or is the old one.
    public mutating func confirmRotation(by key: PublicKey, at now: WallTime) -> KeyHolder? {
        guard let record = ring.activeRecord(key), let old = record.rotatesFrom else { return nil }
        return end(old, for: key, by: record.holder.principal, at: now)
    }

    /// Ends a rotation without waiting for the use of the new key.
    /// - Returns: The holder whose key has ended.
    /// - Throws: `notFound` or `notRotating`.
    public mutating func endRotation(
        of name: KeyName, keeping end: RotationEnd, by principal: Principal, at now: WallTime
    ) throws(AccessError) -> KeyHolder {
        try ring.checkKnown(name, "end the rotation")
        if case .rotating(let old, let new) = ring.owners[name] {
            let ended =
                switch end {
                case .new: self.end(old, for: new, by: principal, at: now)
                case .old: self.end(new, for: nil, by: principal, at: now)
                }
            if let ended { return ended }
        }
        throw AccessError(
            .notRotating, "end the rotation", "\(name)", "'\(name)' has one key only", remedy: "there is nothing to end"
        )
    }

    private mutating func end(
        _ key: PublicKey, for replacement: PublicKey?, by principal: Principal, at now: WallTime
    ) -> KeyHolder? {
        let holder = ring.activeRecord(key)?.holder
        ring.revoke(key, Revocation(by: principal, at: now, replacement: replacement))
        moveSessions(of: key, to: replacement)
        forgetRevoked()
        revision += 1
        return holder
    }
}
