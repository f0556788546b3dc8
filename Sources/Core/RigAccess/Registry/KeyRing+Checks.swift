internal import CaptureModel
internal import RigSecurity

/// The refusals that several operations share.
extension KeyRing {
    /// Checks that a key may get a name that it does not have yet.
    /// - Throws: `revoked`, `keyInUse`, `nameTaken`, `reservedName` or `full`.
    func checkAdmission(
        of key: PublicKey, as name: KeyName, limit: Int, _ operation: String
    ) throws(AccessError) {
        try checkUnused(key, operation)
        try checkFree(name, operation)
        try checkRoom(limit, operation, "\(name)")
    }

    /// - Throws: `revoked` or `keyInUse` for a key that is known.
    func checkUnused(_ key: PublicKey, _ operation: String) throws(AccessError) {
        guard let record = records[key] else { return }
        guard record.isActive else { throw Self.revoked(record, operation) }
        throw AccessError(
            .keyInUse, operation, "\(key)",
            "key \(key) belongs to \(record.holder.role.rawValue) '\(record.holder.name)'",
            remedy:
                "a copied disk copies its key too: delete the key file on this machine and join again, or rename the "
                + "key with `capctl keys rename`")
    }

    /// - Throws: `nameTaken` or `reservedName`.
    func checkFree(_ name: KeyName, _ operation: String) throws(AccessError) {
        guard !Self.reserved.contains(name.rawValue) else {
            throw AccessError(
                .reservedName, operation, "\(name)",
                "'\(name)' cannot be the name of a key, because logs use it for "
                    + "requests without a key",
                remedy: "use another name")
        }
        guard let key = activeKeys(of: name).last else { return }
        throw AccessError(
            .nameTaken, operation, "\(name)", "the name '\(name)' belongs to key \(key)",
            remedy: "use another name; if the machine or its key is lost, run `capctl keys revoke \(name)` first")
    }

    /// - Throws: `full`.
    func checkRoom(_ limit: Int, _ operation: String, _ subject: String) throws(AccessError) {
        guard activeCount >= limit else { return }
        throw AccessError(
            .full, operation, subject, "the rig has \(activeCount) keys, which is the most that it can have",
            remedy: "revoke keys that nobody uses with `capctl keys revoke`")
    }

    /// - Throws: `notFound` unless the name has an active key.
    func checkKnown(_ name: KeyName, _ operation: String) throws(AccessError) {
        guard owners[name] == nil else { return }
        throw AccessError(
            .notFound, operation, "\(name)", "no active key has the name '\(name)'",
            remedy: "`capctl keys list` shows the names")
    }

    static func revoked(_ record: KeyRecord, _ operation: String) -> AccessError {
        AccessError(
            .revoked, operation, "\(record.holder.key)",
            "key \(record.holder.key) of '\(record.holder.name)' was revoked and is never accepted again",
            remedy: "delete the key file on its machine, and join with another code, which makes another key")
    }
}
