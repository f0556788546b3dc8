import AuditLog
public import CaptureModel
import ChannelSecurity
import FaultPoints
import FolderStore
import KeyFiles
public import Logging
import PosixSupport
import RigAccess
import RigCore
public import RigSecurity
import ZeroMQ

/// A coordinator's own key pair, the keys of its rig, its audit log, and the key for administrators of its machine.
///
/// | path in the state folder | content |
/// |---|---|
/// | `keys/coordinator.key_secret` | the coordinator's key pair, created at the first start |
/// | `keys.json` | the registry of keys |
/// | `audit` | the audit log |
/// | `admin` | the admin key |
public struct CoordinatorKeys: Sendable {
    /// The name of the admin key's holder.
    static let adminName = "admin"

    public let rig: RigName
    /// The folder of the key for administrators of this machine.
    public let adminFolder: String
    let pair: CurveKeyPair
    let access: AccessControl
    private let admin: AdminKey
    private let audit: AuditLog
    private let refusals: RefusalRecorder

    /// Opens or creates all of them. Blocks on the disk.
    /// - Parameters:
    ///   - folder: The state folder.
    ///   - environment: The variables of the process, for `CREDENTIALS_DIRECTORY`.
    /// - Throws: If a file is damaged, in use, or readable or writable by others.
    public init(
        folder: String, rig: RigName, environment: [String: String], clock: any TimeSource, log: Logger
    ) async throws {
        self.rig = rig
        let now = UTCDate(realtimeNanoseconds: clock.wallClockPair().realtimeNanoseconds)
        let file = try KeyFile("coordinator.key_secret", in: folder + "/keys", environment: environment)
        let own = try file.loadOrCreate(holder: "coordinator of rig \(rig)", now: now)
        pair = own.pair
        audit = try AuditLog(
            folder: folder + "/audit", clock: clock, executor: try ThreadExecutor(name: "audit"))
        refusals = RefusalRecorder(log: audit, clock: clock)
        access = try await AccessControl(
            store: try FolderKeyRegistry(
                folder: folder, executor: try ThreadExecutor(name: "keys"), fault: KeyRegistryFileFault.injection),
            audit: AccessAuditLog(log: audit), clock: clock)
        adminFolder = folder + "/admin"
        admin = try AdminKey(in: adminFolder)
        let adminKey = try admin.keyFile.loadOrCreate(holder: "admin of rig \(rig)", now: now)
        if let notice = adminKey.sharing.notice { log.notice("the admin key", metadata: ["reason": "\(notice)"]) }
        try await access.admitAdmin(adminKey.pair.publicKey)
        if own.isNew {
            log.notice("the coordinator has made its key", metadata: ["key": "\(pair.publicKey)"])
        }
    }

    /// The gate of the coordinator's sockets. Create it before them.
    func gate(of context: ZeroMQContext) throws(ZeroMQError) -> ConnectionGate {
        try ConnectionGate(of: context) { [access] in
            access.snapshot
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
    ) throws -> RigKeys {
        guard let key = PublicKey(pair.publicKey) else { throw ZeroMQError(code: "EINVAL", operation: "use the key") }
        let port = endpoints.join.map(CoordinatorSockets.port) ?? 0
        return RigKeys(access: access, coordinator: key, rig: rig, clock: clock) { () throws(CaptureProblem) in
            try JoinEndpoint.reachable(host: host, port: port)
        }
    }

    /// Writes for programs of this machine where the coordinator's clients connect to.
    func publish(client endpoint: String) throws {
        try admin.publish(pair.publicKey, holder: "coordinator of rig \(rig)", endpoint: endpoint)
    }

    /// Has invitations expire and keeps the audit log written, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await access.run() }
            group.addTask { await refusals.run() }
            group.addTask { await audit.keepWriting() }
        }
        // What waits for a disk that refuses it is lost, as in a crash.
        try? await audit.close()
    }
}

extension AccessControl {
    /// Admits the key for administrators of the coordinator's machine. If its file was made anew, the old key ends.
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
