import AuditLog
public import CaptureModel
import ChannelSecurity
import FaultPoints
import FolderStore
public import KeyFiles
public import Logging
import PosixSupport
import RigAccess
public import RigConfiguration
import RigCore
public import RigSecurity
import ZeroMQ

/// A coordinator's own key pair, the keys of its rig, its audit log, and the key for administrators of its machine.
///
/// | path in the state folder | content |
/// |---|---|
/// | `keys/coordinator.key_secret` | the coordinator's key pair, created at the first start; while it is being replaced, the old pair beside it |
/// | `keys.json` | the registry of keys |
/// | `audit` | the audit log |
/// | `admin` | the admin key |
public struct CoordinatorKeys: Sendable {
    /// The name of the admin key's holder.
    static let adminName = "admin"
    /// The name of the file of the coordinator's key pair.
    private static let keyName = "coordinator.key_secret"

    public let rig: RigName
    /// The folder of the key for administrators of this machine.
    public let adminFolder: String
    let pair: CurveKeyPair
    let access: AccessControl
    let own: OwnKey
    private let admin: AdminKey
    private let audit: AuditLog
    /// Refused connections and refused requests: a flood of one does not hide the other.
    private let refusals: RefusalRecorder
    private let refusedRequests: RefusalRecorder
    private let auditParts: AuditParts

    /// Opens or creates all of them. Blocks on the disk.
    /// - Parameters:
    ///   - folder: The state folder.
    ///   - auditLimit: The bound of the audit log.
    ///   - environment: The variables of the process, for `CREDENTIALS_DIRECTORY`.
    /// - Throws: If a file is damaged, in use, or readable or writable by others.
    public init(
        folder: String, rig: RigName, auditLimit: ByteCount, environment: [String: String], clock: any TimeSource,
        log: Logger
    ) async throws {
        self.rig = rig
        let now = UTCDate(realtimeNanoseconds: clock.wallClockPair().realtimeNanoseconds)
        let file = try KeyFile(Self.keyName, in: folder + "/keys", environment: environment)
        let stored = try file.loadOrCreate(holder: OwnKey.holder(of: rig), now: now)
        pair = stored.pair
        audit = try AuditLog(
            folder: folder + "/audit", limitBytes: auditLimit.bytes, clock: clock,
            executor: try ThreadExecutor(name: "audit"),
            fault: AuditFileFault.injection)
        auditParts = try AuditParts(folder: folder + "/audit", executor: try ThreadExecutor(name: "audit-read"))
        refusals = RefusalRecorder(log: audit, clock: clock)
        refusedRequests = RefusalRecorder(log: audit, clock: clock)
        access = try await AccessControl(
            store: try DocumentFile(
                .keys, in: folder, executor: try ThreadExecutor(name: "keys"), fault: KeyRegistryFileFault.injection),
            audit: AccessAuditLog(log: audit), clock: clock)
        adminFolder = folder + "/admin"
        admin = try AdminKey(in: adminFolder)
        let adminKey = try admin.keyFile.loadOrCreate(holder: "admin of rig \(rig)", now: now)
        if let notice = adminKey.sharing.notice { log.notice("the admin key", metadata: ["reason": "\(notice)"]) }
        try await access.admitAdmin(adminKey.pair.publicKey)
        own = try OwnKey(
            file: file, pair: pair, of: rig, local: adminKey.pair.publicKey, access: access, audit: audit,
            clock: clock, log: log)
        if stored.isNew {
            log.notice("the coordinator has made its key", metadata: ["key": "\(pair.publicKey)"])
        }
    }

    /// The gate of the coordinator's sockets. Create it before them.
    func gate(of context: ZeroMQContext) throws(ZeroMQError) -> ConnectionGate {
        try ConnectionGate(of: context) { [access] in
            access.snapshot
        } admitted: { [own] connection in
            own.note(connection)
        } refused: { [refusals] connection in
            refusals.refuse(
                Refusal(address: connection.address, domain: connection.domain, reason: connection.reason.rawValue))
        }
    }

    func security(_ domain: AccessDomain) -> SocketSecurity { .channel(domain, pair) }

    var authority: PeerAuthority { .keys { [access] in access.snapshot } }

    /// The keys as clients list and change them.
    func management(
        joiningAt endpoints: CoordinatorEndpoints, of host: String, clock: any TimeSource
    ) -> RigKeys {
        let port = endpoints.join.map(CoordinatorSockets.port) ?? 0
        return RigKeys(access: access, coordinator: own, rig: rig, clock: clock) { () throws(RigProblem) in
            try JoinEndpoint.reachable(host: host, port: port)
        }
    }

    /// Writes for programs of this machine how they recognize and reach the coordinator.
    func publish(_ key: CurvePublicKey, client endpoint: String) throws {
        try admin.publish(key, holder: OwnKey.holder(of: rig), endpoint: endpoint)
    }

    /// The audit log as clients' requests use it.
    var requestAudit: RequestAuditLog { RequestAuditLog(log: audit, refusals: refusedRequests, parts: auditParts) }

    /// Has invitations expire and keeps the audit log written, until the task is cancelled.
    func run() async {
        audit.record(.coordinator(.start))
        await withDiscardingTaskGroup { group in
            group.addTask { await access.run() }
            group.addTask { await refusals.run() }
            group.addTask { await refusedRequests.run() }
            group.addTask { await audit.keepWriting() }
        }
    }

    /// Ends the audit log, once nothing else is recorded.
    func close() async {
        audit.record(.coordinator(.end))
        // What waits for a disk that refuses it is lost, as in a crash.
        try? await audit.close()
    }
}

extension CoordinatorKeys {
    /// Restores the key pair and the registry of a coordinator that was lost, before its first start. Blocks on the disk.
    /// - Throws: If there is another key, or a registry.
    public static func restore(
        _ export: KeyExport, folder: String, environment: [String: String], clock: any TimeSource
    ) async throws {
        let now = UTCDate(realtimeNanoseconds: clock.wallClockPair().realtimeNanoseconds)
        let store = try DocumentFile(.keys, in: folder, executor: try ThreadExecutor(name: "keys"))
        let present = try await store.read()
        guard present == nil || present == export.registry else {
            throw RegistryExists(folder: folder)
        }
        if let registry = export.registry { _ = try KeyRegistryDocument.decode(registry, limits: KeyRegistry.Limits()) }
        try KeyFile(keyName, in: folder + "/keys", environment: environment).restore(
            export.pair, holder: OwnKey.holder(of: try RigName(export.rig)), now: now)
        if let registry = export.registry { try await store.replace(with: registry) }
    }
}

/// A registry of keys is in the place of one that is to be restored.
private struct RegistryExists: Error, CustomStringConvertible {
    let folder: String

    var description: String {
        "there is a registry of keys in \(folder) already; restore into another folder, or move keys.json away"
    }
}

extension AccessControl {
    /// Admits the key for administrators of the coordinator's machine. If its file was made again, the old key ends.
    func admitAdmin(_ publicKey: CurvePublicKey) async throws {
        let name = try KeyName(CoordinatorKeys.adminName)
        guard let key = PublicKey(publicKey) else { return }
        let former = registry.keys.first { $0.isActive && $0.holder.name == name && $0.holder.key != key }
        guard former != nil else {
            _ = try await admit(key, as: name, role: .admin, by: .coordinator)
            return
        }
        _ = try await rotate(name, to: key, by: .coordinator)
        _ = try await endRotation(of: name, keeping: .new, by: .coordinator)
    }
}
