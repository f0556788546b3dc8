internal import CaptureModel
internal import RigSecurity

/// The keys of a registry and the names that they own. A key belongs to one name for ever; a name belongs to one active
/// key, or to two while a rotation is under way.
struct KeyRing: Hashable, Sendable {
    /// The active keys of a name.
    enum Owner: Hashable {
        case single(PublicKey)
        case rotating(from: PublicKey, to: PublicKey)

        var keys: [PublicKey] {
            switch self {
            case .single(let key): [key]
            case .rotating(let old, let new): [old, new]
            }
        }
    }

    /// Names that principals without a key have.
    static let reserved: Set<String> = [Principal.coordinator.name, Principal.unnamed.name]

    private var records: [PublicKey: KeyRecord] = [:]
    private var owners: [KeyName: Owner] = [:]
    private var activeCount = 0
    private var forgottenCount: UInt64 = 0

    init() {}

    /// All keys: the active ones by name, then the revoked ones, the last revoked first.
    var list: [KeyRecord] { records.values.sorted { $0.listOrder < $1.listOrder } }

    /// All keys, active or revoked, in no order.
    var keys: some Collection<PublicKey> { records.keys }

    var activeHolders: [KeyHolder] { records.values.filter(\.isActive).map(\.holder) }

    var revokedKeys: [PublicKey] { records.values.filter { !$0.isActive }.map(\.holder.key) }

    /// How many revoked keys were forgotten.
    var forgotten: UInt64 { forgottenCount }

    /// The number of active keys of admins.
    var adminCount: Int { records.values.count { $0.isActive && $0.holder.role == .admin } }

    /// Returns whether there are at most so many keys.
    func isWithin(active: Int, revoked: Int) -> Bool { activeCount <= active && revokedCount <= revoked }

    private var revokedCount: Int { records.count - activeCount }

    /// Returns a known key, active or revoked.
    func record(_ key: PublicKey) -> KeyRecord? { records[key] }

    func activeRecord(_ key: PublicKey) -> KeyRecord? {
        records[key].flatMap { $0.isActive ? $0 : nil }
    }

    func owner(of name: KeyName) -> Owner? { owners[name] }

    func activeKeys(of name: KeyName) -> [PublicKey] { owners[name]?.keys ?? [] }

    func activeHolders(of name: KeyName) -> [KeyHolder] { activeKeys(of: name).compactMap { activeRecord($0)?.holder } }

    /// Returns the keys that have, or had, a name.
    func knownKeys(of name: KeyName) -> [PublicKey] {
        records.values.filter { $0.holder.name == name }.map(\.holder.key)
    }

    /// Adds a key whose name and key are free, or, with `rotatesFrom`, beside the only key of its name.
    mutating func insert(_ record: KeyRecord) {
        let holder = record.holder
        records[holder.key] = record
        activeCount += 1
        owners[holder.name] = record.rotatesFrom.map { .rotating(from: $0, to: holder.key) } ?? .single(holder.key)
    }

    /// Revokes an active key. The other key of a rotation stays as the only one of its name.
    mutating func revoke(_ key: PublicKey, _ revocation: Revocation) {
        guard let record = activeRecord(key) else { return }
        let name = record.holder.name
        records[key]?.state = .revoked(revocation)
        records[key]?.rotatesFrom = nil
        activeCount -= 1
        let rest = activeKeys(of: name).filter { $0 != key }
        owners[name] = rest.first.map { .single($0) }
        for other in rest { records[other]?.rotatesFrom = nil }
    }

    mutating func rename(_ old: KeyName, to new: KeyName) {
        guard old != new, let owner = owners.removeValue(forKey: old) else { return }
        owners[new] = owner
        for key in owner.keys { records[key]?.holder.name = new }
    }

    /// Removes the keys that were revoked first, until at most `limit` revoked keys are left. They are then unknown
    /// instead of revoked, and so still refused.
    mutating func forgetRevoked(beyond limit: Int) {
        guard revokedCount > limit else { return }
        let oldest = records.values.compactMap { record -> (WallTime, PublicKey)? in
            guard case .revoked(let revocation) = record.state else { return nil }
            return (revocation.at, record.holder.key)
        }.sorted { $0.0 < $1.0 }.prefix(revokedCount - limit)
        for (_, key) in oldest { records[key] = nil }
        forgottenCount += UInt64(oldest.count)
    }
}

extension KeyRing {
    /// Restores the keys of a document.
    /// - Throws: The rule of names and keys that they break.
    init(restoring restored: [KeyRecord]) throws(BrokenRule) {
        // A key that replaces another comes after it.
        for record in restored.sorted(by: { $0.rotatesFrom == nil && $1.rotatesFrom != nil }) {
            let holder = record.holder
            guard records[holder.key] == nil else { throw BrokenRule("key \(holder.key) is there twice") }
            guard record.isActive else {
                records[holder.key] = record
                continue
            }
            guard !Self.reserved.contains(holder.name.rawValue) else {
                throw BrokenRule("'\(holder.name)' cannot be the name of a key")
            }
            guard owners[holder.name] == record.rotatesFrom.map({ .single($0) }) else {
                throw BrokenRule("'\(holder.name)' has keys that do not belong together")
            }
            guard record.rotatesFrom.map({ records[$0]?.holder.role == holder.role }) ?? true else {
                throw BrokenRule("'\(holder.name)' has two roles")
            }
            insert(record)
        }
    }

    /// What is wrong with restored keys.
    struct BrokenRule: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }
}

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

extension KeyRecord {
    /// Active keys by name and time, then revoked keys from the newest.
    fileprivate var listOrder: (Int, String, Int64, String) {
        switch state {
        case .active: (0, holder.name.rawValue, admission.at.nanoseconds, holder.key.base64)
        case .revoked(let revocation): (1, "", 0 &- revocation.at.nanoseconds, holder.key.base64)
        }
    }
}
