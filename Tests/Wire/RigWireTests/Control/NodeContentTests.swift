import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigProtocol
import RigWire
import Synchronization
import Testing

/// How the coordinator reads the reports in a node's messages.
@Suite struct NodeContentTests {
    /// Runs each job at once, and counts them.
    private final class CountingExecutor: SerialExecutor {
        let count = Mutex(0)

        func enqueue(_ job: consuming ExecutorJob) {
            count.withLock { $0 += 1 }
            unsafe UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    private actor Caller {
        nonisolated let executor = CountingExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        private var steps: [String] = []

        /// Does something itself before and after, as otherwise it would not be needed to run at all.
        func read(_ envelope: NodeEnvelope) async throws -> NodeContent {
            steps.append("asks")
            let content = try await envelope.content()
            steps.append("goes on")
            return content
        }
    }

    private let node: NodeName
    private let report: CaptureReport

    init() throws {
        node = try NodeName("north")
        var generator = SeededGenerator(seed: 3)
        report = try generator.report(of: node)
    }

    /// A message of the node, whose reports have been changed on their way.
    private func envelope(_ message: NodeMessage, change: (inout WireAgentMessage) -> Void) throws -> NodeEnvelope {
        let bytes = try NodeEnvelope.bytes(of: message, from: node, epoch: .random(), to: nil)
        var wire = try WireCoding.control.decode(WireAgentMessage.self, from: bytes)
        change(&wire)
        return try NodeEnvelope(bytes: try WireCoding.control.encode(wire))
    }

    private func inventory() -> NodeMessage {
        .inventory(
            InventoryPage(
                after: nil, captures: Array(repeating: report, count: WireLimits.inventoryPage), hasMore: false))
    }

    /// Adds members that no version knows.
    private func extend(_ document: inout String) {
        document = #"{"weather":"rain","wind":{"speed":3},"# + document.dropFirst()
    }

    @Test("Reads a long inventory without the actor that asks for it")
    func otherThanTheActor() async throws {
        let caller = Caller()
        let content = try await caller.read(try envelope(inventory()) { _ in })
        #expect(content.message == inventory())
        #expect(caller.executor.count.withLock(\.self) == 2, "one to ask, one to go on")
    }

    @Test("Counts members of a report that it does not know, and reads the rest")
    func unknownMembers() async throws {
        let captured = try envelope(.captureResult(.captured(report))) { extend(&$0.captured) }
        var content = try await captured.content()
        #expect(content.message == .captureResult(.captured(report)))
        #expect(content.ignoredMembers == 2 && content.firstIgnored == "weather")

        let page = try envelope(inventory()) { message in
            for index in [3, 4, 9] { extend(&message.inventory.captures[index]) }
        }
        content = try await page.content()
        #expect(content.message == inventory())
        #expect(content.ignoredMembers == 6 && content.firstIgnored == "weather")

        let armed = NodeMessage.prepareResult(PrepareResult(key: report.key, outcome: .success(report.resolved)))
        content = try await envelope(armed) { extend(&$0.prepareResult.armed) }.content()
        #expect(content.message == armed)
        #expect(content.ignoredMembers == 2)
    }

    @Test("Refuses a report of another node's device, also in a list")
    func otherNode() async throws {
        var generator = SeededGenerator(seed: 4)
        let foreign = try generator.report(of: NodeName("south")).wire
        let page = try envelope(inventory()) { $0.inventory.captures[59] = foreign }
        await #expect(throws: WireError.self) { try await page.content() }
        let captured = try envelope(.captureResult(.captured(report))) { $0.captured = foreign }
        await #expect(throws: WireError.self) { try await captured.content() }
    }
}
