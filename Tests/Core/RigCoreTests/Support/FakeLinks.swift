import CaptureModel
import CaptureTestSupport
import FolderStore
import PosixSupport

@testable import RigCore

/// Keeps what the rig's logic asks of the channels.
final class FakeLinks: RigLinks {
    struct Asked: Sendable {
        var sent: [(node: NodeName, command: AgentCommand)] = []
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
    private let library: String

    init(library: String) {
        self.library = library
    }

    func send(_ command: AgentCommand, to node: NodeName) async {
        asked.change { $0.sent.append((node, command)) }
    }

    func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) async {
        asked.change { $0.collected[key] = file }
    }

    func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        asked.change { $0.priorities.append((shot, isAwaited)) }
    }

    func release(_ key: FileKey, _ digest: ContentDigest?) async {
        let shot = try? FolderReader(folder: library).shot(key.capture.shot)
        let phase = shot?.captures.first { $0.device.id == key.capture.device }?.phase
        asked.change { $0.released.append((key, digest, phase)) }
    }

    func abandon(_ key: FileKey) async {
        asked.change { $0.abandoned.append(key) }
    }

    func tidy(_ shot: ShotID) async {
        asked.change { $0.tidied.append(shot) }
    }

    func publish(_ event: FeedEvent) {
        asked.change { $0.events.append(event) }
    }

    func journaledSequence() -> UInt64 {
        journaled.withLock { $0 }
    }

    func takeEventLoss() -> ClosedRange<UInt64>? {
        loss.withLock { loss in
            defer { loss = nil }
            return loss
        }
    }

    /// Returns when the nodes have been sent a message that is meant.
    func wait(forNodes nodes: Set<NodeName>, _ isMeant: @escaping @Sendable (AgentCommand) -> Bool) async {
        await asked.wait { asked in
            nodes.isSubset(of: asked.sent.filter { isMeant($0.command) }.map(\.node))
        }
    }
}

extension AgentCommand {
    var isPrepare: Bool { if case .prepare = self { true } else { false } }
    var isFire: Bool { if case .fire = self { true } else { false } }
    var isCancel: Bool { if case .cancel = self { true } else { false } }
}
