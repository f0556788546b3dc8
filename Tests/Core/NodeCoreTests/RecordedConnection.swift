import CaptureEngine
import CaptureModel
import CaptureTestSupport

@testable import NodeCore

/// A coordinator that a test plays: what the node says is kept, and nothing is answered by itself.
final class RecordedConnection: CoordinatorConnection {
    let said = Observed<[NodeMessage]>([])
    let reconnections = Observed(0)

    func send(_ message: NodeMessage, to coordinator: Epoch?, mayWait: Bool) async -> Bool {
        said.change { $0.append(message) }
        return true
    }

    func reconnect() async {
        reconnections.change { $0 += 1 }
    }

    /// Returns when the node has said something from which `value` makes one, with the first such value.
    func first<Value>(_ value: @escaping @Sendable (NodeMessage) -> Value?) async -> Value? {
        await said.wait { $0.contains { value($0) != nil } }
        return said.value.lazy.compactMap(value).first
    }

    func count(_ isMeant: (NodeMessage) -> Bool) -> Int {
        said.value.count(where: isMeant)
    }
}

extension NodeMessage {
    var hello: NodeHello? { if case .hello(let hello) = self { hello } else { nil } }
    var heartbeat: NodeHeartbeat? { if case .heartbeat(let heartbeat) = self { heartbeat } else { nil } }
    var prepareResult: PrepareResult? { if case .prepareResult(let result) = self { result } else { nil } }
    var report: CaptureReport? { if case .captureResult(.captured(let report)) = self { report } else { nil } }
    var answer: DeviceAnswer? { if case .deviceAnswer(let answer) = self { answer } else { nil } }
    var batch: EventBatch? { if case .events(let batch) = self { batch } else { nil } }
    var page: InventoryPage? { if case .inventory(let page) = self { page } else { nil } }
}

extension PrepareResult {
    var problem: CaptureProblem? { if case .failure(let problem) = outcome { problem } else { nil } }
}
