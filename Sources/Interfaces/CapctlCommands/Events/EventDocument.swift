internal import CaptureModel

/// One line of `capctl events --format json`.
struct EventDocument: Encodable {
    var boundNanoseconds: Int64?
    var coordinatorEpoch: String
    var details: [String: String]
    var device: String?
    var localNanoseconds: Int64
    var name: String
    /// Absent for events of the coordinator itself.
    var node: String?
    var realtime: String
    var rigNanoseconds: Int64?
    var sequence: UInt64
    var shot: String?

    init(_ event: FeedEvent) {
        let source = event.source.event
        boundNanoseconds = source.rig?.boundNanoseconds
        coordinatorEpoch = event.coordinatorEpoch.description
        details = source.details
        device = source.device?.description
        localNanoseconds = source.local.nanoseconds
        name = source.name.rawValue
        node = event.node?.rawValue
        realtime = RFC3339.text(realtimeNanoseconds: source.realtimeNanoseconds)
        rigNanoseconds = source.rig?.time.nanoseconds
        sequence = event.sequence
        shot = source.shot?.description
    }
}

/// One line of `capctl events` for people.
struct EventLine {
    var text: String

    init(_ event: FeedEvent) {
        let source = event.source.event
        let time = RFC3339.text(realtimeNanoseconds: source.realtimeNanoseconds).dropLast(7) + "Z"
        let subject = source.device?.description ?? event.node?.rawValue ?? "coordinator"
        var words = [String(time), Self.padded(subject, 16), Self.padded(source.name.rawValue, 28)]
        if let shot = source.shot { words.append("shot=\(shot)") }
        words += source.details.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.printable($0.value))" }
        text = words.joined(separator: "  ")
        while text.last == " " { text.removeLast() }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func printable(_ text: String) -> String {
        text.contains(where: \.isWhitespace) ? "\"\(Table.printable(text))\"" : text
    }
}
