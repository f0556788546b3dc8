import AuditLog
import CaptureModel
import ChannelSecurity
import KeyFiles
import Logging
import PosixSupport
import RigAccess
import RigCore
import RigSecurity
import ZeroMQ

/// The owner of the coordinator's own key pair. It replaces the pair without a visit to any node:
///
/// | step | after a crash |
/// |---|---|
/// | records the replacement in the audit log | nothing has changed |
/// | replaces the key's file; the old pair keeps a dated name | the next run listens with both keys |
/// | tells every connected node the new key, and answers the request | the same |
/// | listens with the new key on the usual ports, and with the old one on the second ports | the same |
/// | once every holder has connected with the new key, or an admin says so: ends the old one | the next run ends it |
///
/// A compromised key's file is removed at once, and no socket listens with it any longer. It runs on a thread that may block on the disk.
actor OwnKey: CoordinatorKey {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// Time for answers and messages to leave before their connections end.
    static let notice = Duration.milliseconds(500)

    private struct Shared {
        var publicKey: PublicKey
        var rotation: CoordinatorKeyRotation?
    }

    /// What is done after the answer to the request that caused it.
    private enum Work {
        case changeOver
        /// The old key has been compromised since.
        case closeSecondPorts
        case end(by: Principal)
    }

    /// What the key's owner needs of the channels.
    struct Channels: Sendable {
        let listeners: ChannelListeners
        /// Sends the key to every connected node.
        let tellNodes: @Sendable (PublicKey) async -> Void
        /// Writes the key for programs of this machine.
        let publish: @Sendable (CurvePublicKey) throws -> Void
    }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let shared: Locked<Shared>
    private nonisolated let access: AccessControl
    /// The key of the coordinator's own machine.
    private nonisolated let local: PublicKey
    private nonisolated let wakes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let file: KeyFile
    private let rig: RigName
    /// Whose key it is, for people.
    private let holder: String
    private let audit: AuditLog
    private let clock: any TimeSource
    private let log: Logger
    private var pair: CurveKeyPair
    private var retired: RetiredKey?
    private var work: [Work] = []
    private var isBeginning = false

    /// - Parameters:
    ///   - pair: The pair that the file has.
    /// - Throws: ``KeyFileError``; `ZeroMQError` for a key of zeros.
    init(
        file: KeyFile, pair: CurveKeyPair, of rig: RigName, local: CurvePublicKey, access: AccessControl,
        audit: AuditLog,
        clock: any TimeSource, log: Logger
    ) throws {
        guard let own = PublicKey(pair.publicKey), let local = PublicKey(local) else {
            throw ZeroMQError(code: "EINVAL", operation: "use the key")
        }
        let kept = try file.retired()
        for problem in kept.problems { log.warning("an old key is not served", metadata: ["reason": "\(problem)"]) }
        let retired = kept.keys.last
        let old = retired.flatMap { PublicKey($0.pair.publicKey) }
        shared = Locked(
            Shared(
                publicKey: own, rotation: old.map { CoordinatorKeyRotation(from: $0, to: own, isOldServed: true) }))
        executor = try ThreadExecutor(name: "own-key")
        self.retired = retired
        (self.file, self.pair, self.rig, self.local) = (file, pair, rig, local)
        holder = Self.holder(of: rig)
        (self.access, self.audit, self.clock, self.log) = (access, audit, clock, log)
    }

    /// Whose key it is, for people.
    static func holder(of rig: RigName) -> String { "coordinator of rig \(rig)" }

    nonisolated var publicKey: PublicKey { shared.withLock(\.publicKey) }

    nonisolated var rotation: KeyRotationStatus? { shared.withLock(\.rotation).map(status) }

    /// Notes who has connected. Never waits; from any thread.
    nonisolated func note(_ connection: AdmittedConnection) {
        let isRotating = shared.withLock { shared in
            shared.rotation?.connected(connection.key, knowing: connection.server)
            return shared.rotation != nil
        }
        if isRotating { review() }
    }

    /// Looks whether a replacement is complete. Never waits; from any thread.
    nonisolated func review() { wakes.continuation.yield() }

    /// Serves an old key that an earlier run has left, and replacements, until the task is cancelled.
    func run(_ channels: Channels) async {
        if let retired { await channels.listeners.serve(retired.pair) }
        for await _ in wakes.stream {
            while !work.isEmpty { await carryOut(work.removeFirst(), channels) }
            if let rotation, rotation.unconfirmed.isEmpty { await end(by: .coordinator, channels) }
        }
    }

    func rotate(
        from: PublicKey, isCompromised: Bool, by principal: Principal
    ) async throws(RigProblem) -> KeyRotationStatus {
        let underWay = rotation
        if let underWay, from == underWay.old {
            if isCompromised, underWay.isOldServed { stopServing() }
            return rotation ?? underWay
        }
        try checkBeginning(from, isCompromised: isCompromised)
        isBeginning = true
        defer { isBeginning = false }
        do {
            try await audit.commit(
                AuditEntry(
                    .change, by: AuditPrincipal(principal), subject: holder,
                    details: ["change": "keyReplaced", "fingerprint": "\(from)", "compromised": "\(isCompromised)"]))
        } catch {
            throw RigProblem(
                .inputOutput, "the key was not replaced, because the audit log does not work: \(error)")
        }
        return try begin(from, isCompromised: isCompromised)
    }

    func endRotation(by principal: Principal) async throws(RigProblem) -> KeyRotationStatus {
        guard let status = rotation else {
            throw RigProblem(.conflict, "the coordinator's key is not being replaced")
        }
        work.append(.end(by: principal))
        review()
        return status
    }

    func export(passphrase: String, by principal: Principal) async throws(RigProblem) -> [UInt8] {
        do {
            let registry = try KeyRegistryDocument.encoded(await access.registry)
            let now = UTCDate(realtimeNanoseconds: clock.wallClockPair().realtimeNanoseconds)
            let export = KeyExport(rig: rig.rawValue, created: now, pair: pair, registry: registry)
            let sealed = try export.sealed(with: passphrase)
            try await audit.commit(
                AuditEntry(
                    .change, by: AuditPrincipal(principal), subject: holder,
                    details: ["change": "keyExported", "fingerprint": "\(publicKey)"]))
            return sealed
        } catch let error as KeyExportError {
            throw RigProblem(.unsupportedSettings, "the key is not exported: \(error)")
        } catch {
            throw RigProblem(.inputOutput, "the key is not exported: \(error)")
        }
    }

    private func checkBeginning(_ from: PublicKey, isCompromised: Bool) throws(RigProblem) {
        guard from == publicKey else {
            throw RigProblem(
                .conflict, "the coordinator's key is \(publicKey), and this request is to replace \(from)")
        }
        guard !isBeginning, isCompromised || rotation == nil else {
            throw RigProblem(
                .conflict,
                "the coordinator's key is being replaced already; wait until every holder has the new one (`capctl keys "
                    + "list`), or end the old one: capctl keys rotate --end")
        }
    }

    /// Replaces the file, and has the ports follow.
    private func begin(_ from: PublicKey, isCompromised: Bool) throws(RigProblem) -> KeyRotationStatus {
        do {
            if isCompromised, let retired { try file.remove(retired) }
            let now = UTCDate(realtimeNanoseconds: clock.wallClockPair().realtimeNanoseconds)
            let replacement = try file.replace(holder: holder, now: now)
            if isCompromised { try file.remove(replacement.retired) }
            guard let new = PublicKey(replacement.current.publicKey) else {
                throw RigProblem(.inputOutput, "the new key cannot be used")
            }
            pair = replacement.current
            retired = isCompromised ? nil : replacement.retired
            let rotation = CoordinatorKeyRotation(from: from, to: new, isOldServed: !isCompromised)
            shared.withLock { $0 = Shared(publicKey: new, rotation: rotation) }
            work.append(.changeOver)
            review()
            return status(rotation)
        } catch {
            throw RigProblem(
                (error as? KeyFileError)?.code == .notReplaceable ? .unsupportedSettings : .inputOutput, "\(error)")
        }
    }

    /// Ends the old key of a replacement under way, and still tells which holders need a visit.
    private func stopServing() {
        remove()
        shared.withLock { shared in
            guard let rotation = shared.rotation else { return }
            shared.rotation = CoordinatorKeyRotation(from: rotation.old, to: rotation.new, isOldServed: false)
        }
        work.append(.closeSecondPorts)
        review()
    }

    private func carryOut(_ work: Work, _ channels: Channels) async {
        switch work {
        case .changeOver:
            await channels.tellNodes(publicKey)
            try? await clock.sleep(for: Self.notice)
            await channels.listeners.replaceKey(with: pair, serving: retired?.pair)
            do { try channels.publish(pair.publicKey) } catch {
                log.error("programs of this machine do not get the new key", metadata: ["reason": "\(error)"])
            }
            log.notice("the coordinator listens with a new key", metadata: ["key": "\(publicKey)"])
        case .closeSecondPorts:
            try? await clock.sleep(for: Self.notice)
            await channels.listeners.endRetired()
        case .end(let principal):
            try? await clock.sleep(for: Self.notice)
            await end(by: principal, channels)
        }
    }

    private func end(by principal: Principal, _ channels: Channels) async {
        guard let ended = rotation else { return }
        await channels.listeners.endRetired()
        remove()
        shared.withLock { $0.rotation = nil }
        audit.record(
            AuditEntry(
                .change, by: AuditPrincipal(principal), subject: holder,
                details: ["change": "oldKeyEnded", "fingerprint": "\(ended.old)"]))
        log.notice("the coordinator's old key has ended", metadata: ["key": "\(ended.old)"])
    }

    private func remove() {
        guard let old = retired else { return }
        do {
            try file.remove(old)
        } catch {
            log.error(
                "the file of the old key stays, so the next start serves it again", metadata: ["reason": "\(error)"])
        }
        retired = nil
    }

    private nonisolated func status(_ rotation: CoordinatorKeyRotation) -> KeyRotationStatus {
        KeyRotationStatus(
            new: rotation.new, old: rotation.old, isOldServed: rotation.isOldServed,
            unconfirmed: rotation.unconfirmed(in: access.snapshot, except: local))
    }
}
