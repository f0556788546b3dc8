import CaptureModel

/// When each node that has files to give, but has not said hello on the collect channel, is to be asked for one: its hello may
/// have been lost, and after its next welcome on the control channel it says another.
///
/// A value without clock. Bounded by the nodes that have files to give.
struct PendingGreetings: Sendable {
    static let patience = Duration.seconds(2)

    private var due: [NodeName: LocalTime] = [:]

    /// When ``takeDue(silent:at:)`` has something; nil when nobody is silent.
    var nextInstant: LocalTime? { due.values.min() }

    /// The nodes to ask now; each of them comes up again if it stays silent.
    /// - Parameter silent: All that have files to give and have not said hello.
    mutating func takeDue(silent: Set<NodeName>, at now: LocalTime) -> [NodeName] {
        due = due.filter { silent.contains($0.key) }
        for node in silent where due[node] == nil { due[node] = now + Self.patience }
        let asked = due.filter { $0.value <= now }.keys.sorted()
        for node in asked { due[node] = now + Self.patience }
        return asked
    }
}
