import CaptureModel
import ControlMessages
import RigProtocol
import StrictJSON

/// Reads a message of a node in steps of one report of a capture, since a list of them may take long.
struct NodeMessageReading {
    /// What has been read; complete when ``readReport()`` returns false.
    private(set) var message: NodeMessage
    private(set) var ignored: IgnoredMembers
    private let node: NodeName
    /// The field that has the reports.
    private let field: String
    /// The reports that are outstanding, the next one last.
    private var reports: [String] = []

    /// Reads everything but the reports of a list.
    /// - Returns: nil for a kind of message that this version does not know.
    init?(_ wire: WireAgentMessage.OneOf_Body?, from node: NodeName) throws(WireError) {
        var ignored = IgnoredMembers()
        self.node = node
        switch wire {
        case .hello: field = "inventory"
        case .inventory: field = "captures"
        default: field = "device"
        }
        switch wire {
        case .hello(let hello):
            message = .hello(try NodeHello(wire: hello, from: node))
            reports = try FieldReader("Hello").list(hello.inventory, "inventory", limit: WireLimits.inventory)
        case .heartbeat(let heartbeat): message = .heartbeat(try NodeHeartbeat(wire: heartbeat, from: node))
        case .prepareResult(let result):
            message = .prepareResult(try PrepareResult(wire: result, from: node, ignored: &ignored))
        case .captured(let report):
            message = .captureResult(.captured(try CaptureReport(wire: report, from: node, field, ignored: &ignored)))
        case .missed(let missed):
            let key = try FieldReader("CaptureMissed").capture(missed.shotID, missed.device, of: node)
            message = .captureResult(.missed(key, RigProblem(wire: missed.problem)))
        case .events(let batch): message = .events(try EventBatch(wire: batch))
        case .deviceAnswer(let answer): message = .deviceAnswer(try DeviceAnswer(wire: answer, from: node))
        case .inventory(let page):
            message = .inventory(try InventoryPage(wire: page))
            reports = try FieldReader("Inventory").list(page.captures, "captures", limit: WireLimits.inventory)
        case nil: return nil
        }
        self.ignored = ignored
        reports.reverse()
    }

    /// Reads the next report of the list.
    /// - Returns: Whether there was one.
    mutating func readReport() throws(WireError) -> Bool {
        guard let next = reports.popLast() else { return false }
        message.add(try CaptureReport(wire: next, from: node, field, ignored: &ignored))
        return true
    }
}

extension NodeMessage {
    /// Adds a report to the list that the message has.
    fileprivate mutating func add(_ report: CaptureReport) {
        switch self {
        case .hello(var hello):
            hello.inventory.captures.append(report)
            self = .hello(hello)
        case .inventory(var page):
            page.captures.append(report)
            self = .inventory(page)
        case .heartbeat, .prepareResult, .captureResult, .events, .deviceAnswer: break
        }
    }
}

extension CaptureReport {
    /// Reads a report, which must be of a device of the node that sends it.
    fileprivate init(
        wire: String, from node: NodeName, _ field: String, ignored: inout IgnoredMembers
    ) throws(WireError) {
        try self.init(wire: wire, ignored: &ignored)
        guard key.device.node == node else {
            throw FieldReader("CaptureReport").invalid(field, "names a device of another node")
        }
    }
}
