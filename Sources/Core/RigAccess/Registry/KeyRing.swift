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

    private(set) var records: [PublicKey: KeyRecord] = [:]
    private(set) var owners: [KeyName: Owner] = [:]
    private(set) var activeCount = 0

    var revokedCount: Int { records.count - activeCount }

    /// The number of active keys of admins.
    var adminCount: Int { records.values.count { $0.isActive && $0.holder.role == .admin } }

    func activeRecord(_ key: PublicKey) -> KeyRecord? {
        records[key].flatMap { $0.isActive ? $0 : nil }
    }

    func activeKeys(of name: KeyName) -> [PublicKey] { owners[name]?.keys ?? [] }

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

    /// Removes the keys that were revoked first, until at most `limit` revoked keys are left.
    /// - Returns: How many were removed. They are then unknown instead of revoked, and so still refused.
    mutating func forgetRevoked(beyond limit: Int) -> Int {
        guard revokedCount > limit else { return 0 }
        let oldest = records.values.compactMap { record -> (WallTime, PublicKey)? in
            guard case .revoked(let revocation) = record.state else { return nil }
            return (revocation.at, record.holder.key)
        }.sorted { $0.0 < $1.0 }.prefix(revokedCount - limit)
        for (_, key) in oldest { records[key] = nil }
        return oldest.count
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
