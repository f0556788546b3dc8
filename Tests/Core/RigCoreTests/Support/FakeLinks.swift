import CaptureModel
import CaptureTestSupport
import ControlMessages
import FolderStore
import Glibc
import Journal
import PosixSupport
import RigTestSupport

@testable import RigCore

/// Keeps what the rig's logic asks of the channels, and hands on to a collector what is meant for one.
final class FakeLinks: RigLinks {
    struct Asked: Sendable {
        var sent: [(node: NodeName, order: NodeOrder)] = []
        var collected: [FileKey: SpooledFile] = [:]
        /// What was released, with the capture as it lay on the disk at that moment.
        var released: [(key: FileKey, digest: ContentDigest?, onDisk: Capture.Phase?)] = []
        /// Whose files were to be fetched before others, or no longer.
        var priorities: [(shot: ShotID, isAwaited: Bool)] = []
        var abandoned: [FileKey] = []
        var tidied: [ShotID] = []
        var events: [FeedEvent] = []
    }

    let asked = Observed(Asked())
    /// Events up to this number survive the coordinator.
    let journaled = Locked(UInt64.max)
    /// Events that are to be told as lost.
    let loss = Locked(ClosedRange<UInt64>?.none)
    let collector = Locked(Collector?.none)
    private let library: String

    init(library: String) {
        self.library = library
    }

    func send(_ order: NodeOrder, to node: NodeName) async {
        asked.change { $0.sent.append((node, order)) }
    }

    func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) async {
        asked.change { $0.collected[key] = file }
        collector.withLock { $0 }?.collect(key, file, isAwaited: isAwaited)
    }

    func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        asked.change { $0.priorities.append((shot, isAwaited)) }
        collector.withLock { $0 }?.prioritize(shot, isAwaited)
    }

    func release(_ key: FileKey, _ digest: ContentDigest?) async {
        let shot = try? FolderReader(folder: library).shot(key.capture.shot)
        let phase = shot?.captures.first { $0.device.id == key.capture.device }?.phase
        asked.change { $0.released.append((key, digest, phase)) }
        collector.withLock { $0 }?.release(key, digest)
    }

    func abandon(_ key: FileKey) async {
        asked.change { $0.abandoned.append(key) }
        collector.withLock { $0 }?.abandon(key)
    }

    func tidy(_ shot: ShotID) async {
        asked.change { $0.tidied.append(shot) }
        collector.withLock { $0 }?.tidy(shot)
    }

    func publish(_ event: FeedEvent) {
        asked.change { $0.events.append(event) }
    }

    func journaledSequence() -> UInt64 {
        journaled.withLock { $0 }
    }

    func removeEventLoss() -> ClosedRange<UInt64>? {
        loss.withLock { loss in
            defer { loss = nil }
            return loss
        }
    }

    /// Returns when the nodes have been sent a message that is meant.
    func wait(forNodes nodes: Set<NodeName>, _ isMeant: @escaping @Sendable (NodeOrder) -> Bool) async {
        await asked.wait { asked in
            nodes.isSubset(of: asked.sent.filter { isMeant($0.order) }.map(\.node))
        }
    }
}

extension NodeOrder {
    var isPrepare: Bool { if case .prepare = self { true } else { false } }
    var isFire: Bool { if case .fire = self { true } else { false } }
    var isCancel: Bool { if case .cancel = self { true } else { false } }
    /// The request about a device or the spool, with its number.
    var device: (number: UInt64, request: DeviceRequest)? {
        guard case .deviceRequest(let order) = self, case .success(let request) = order.request else { return nil }
        return (order.number, request)
    }
}

/// A disk that does not take the steps that are meant, such as writing a manifest, from when it is frozen until it thaws.
final class FreezingDisk: Sendable {
    /// Steps that have come to a frozen disk.
    let held = Observed(0)
    /// Paths that were about to be removed.
    let removed = Observed<[String]>([])
    private let isFrozen = Locked(false)
    private let thawed: EventFlag
    private let isMeant: @Sendable (FileStep, String) -> Bool

    init(
        where isMeant: @escaping @Sendable (FileStep, String) -> Bool = { $0 == .write && $1.contains("shot.json") }
    ) throws {
        thawed = try EventFlag()
        self.isMeant = isMeant
    }

    func freeze() {
        isFrozen.withLock { $0 = true }
    }

    func thaw() {
        isFrozen.withLock { $0 = false }
        thawed.signal()
    }

    var fault: FileFault {
        { [self] step, path in
            if step == .remove { removed.change { $0.append(path) } }
            guard isMeant(step, path), isFrozen.withLock({ $0 }) else { return nil }
            held.change { $0 += 1 }
            return thawed.wait(timeoutMilliseconds: 300_000) ? nil : EIO
        }
    }
}

extension Samples {
    static func device(_ id: String, state: DeviceCondition.State = .running) throws -> RosterDevice {
        let status = try status(id, state: state)
        return RosterDevice(description: status.device, condition: status.condition)
    }

    static func agent(_ epoch: UInt64 = 1, boot: String = "boot-1", ringDepth: Duration = .seconds(3)) -> ConnectedAgent
    {
        ConnectedAgent(
            epoch: Self.epoch(epoch), bootID: boot, software: "test", ringDepth: ringDepth,
            clockBound: .microseconds(100), spoolFreeBytes: 1 << 30)
    }

    /// A hello of a node with one camera.
    static func hello(_ node: String, inventory: [CaptureReport] = []) throws -> NodeHello {
        NodeHello(
            software: "test", bootID: "boot-\(node)", devices: [try status("\(node)/cam")], ringDepth: .seconds(3),
            inventory: InventoryPage(after: nil, captures: inventory, hasMore: false))
    }

    /// Events of a node's life `epoch`.
    static func batch(
        _ numbers: ClosedRange<UInt64>, of event: RigEvent, after previous: UInt64? = nil, epoch: UInt64 = 1
    ) -> EventBatch {
        EventBatch(
            follows: previous.map { EventPosition(epoch: Self.epoch(epoch), sequence: $0) },
            entries: numbers.map {
                EventBatch.Entry(
                    position: EventPosition(epoch: Self.epoch(epoch), sequence: $0), event: .success(event))
            })
    }

    static func requester(_ number: UInt8 = 1) -> RequesterToken {
        RequesterToken(frontEnd: "test", bytes: [number])
    }
}
