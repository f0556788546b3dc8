import CaptureModel

/// The requests to the nodes of a shot: which nodes they reach, and when they are repeated.
struct NodeRequests: Sendable {
    private var connected: Set<NodeName>
    /// Cameras whose node connected in another run after they had been armed.
    private var restarted: Set<DeviceID> = []
    private var repetition: RigTime?
    /// When nodes are next asked for files that they owe.
    private var owedDue: RigTime?
    private let interval: Duration
    private let owedFrom: RigTime

    /// - Parameters:
    ///   - interval: The interval of repetitions.
    ///   - owedFrom: When nodes are first asked for files that they owe.
    init(connected: Set<NodeName>, interval: Duration, owedFrom: RigTime) {
        self.connected = connected
        self.interval = interval
        self.owedFrom = owedFrom
    }

    // MARK: Nodes

    mutating func connect(_ node: NodeName) { connected.insert(node) }

    mutating func disconnect(_ node: NodeName) { connected.remove(node) }

    func reaches(_ node: NodeName) -> Bool { connected.contains(node) }

    /// Records that the agent of an armed camera is another run, which has lost its pins.
    mutating func lostArming(of device: DeviceID) { restarted.insert(device) }

    mutating func armed(_ device: DeviceID) { restarted.remove(device) }

    /// Returns whether the camera has not been armed since its agent lost it.
    func hasLostArming(of device: DeviceID) -> Bool { restarted.contains(device) }

    // MARK: Requests

    /// Prepares cameras, and schedules the repetition. Those whose node is not connected are left out.
    mutating func prepare(_ devices: [DeviceID], at now: RigTime) -> [ShotAction] {
        let groups = byNode(devices)
        if !groups.isEmpty { scheduleRepetition(at: now) }
        return groups.map { .prepare($0.node, $0.devices) }
    }

    /// Fires cameras, and schedules the repetition.
    mutating func fire(_ devices: [DeviceID], at now: RigTime) -> [ShotAction] {
        let groups = byNode(devices)
        if !groups.isEmpty { scheduleRepetition(at: now) }
        return groups.map { .fire($0.node, $0.devices) }
    }

    func cancel(_ devices: [DeviceID]) -> [ShotAction] {
        byNode(devices).map { .cancel($0.node, $0.devices) }
    }

    /// Sends fire to cameras that owe a file, for the stop that it carries.
    func tellStop(to owing: [DeviceID]) -> [ShotAction] {
        byNode(owing).map { .fire($0.node, $0.devices) }
    }

    /// Asks for owed files if it is time. An owed file arrives without a request, but its report may be lost. So it is
    /// requested at a quarter of the rate of requests that a shot waits for.
    mutating func askForOwed(_ owing: [DeviceID], at now: RigTime) -> [ShotAction] {
        let groups = byNode(owing)
        guard !groups.isEmpty, owedDue ?? owedFrom <= now else { return [] }
        owedDue = now + interval * 4
        return groups.map { .fire($0.node, $0.devices) }
    }

    /// Returns the cameras of connected nodes, by node in order of name.
    private func byNode(_ devices: [DeviceID]) -> [(node: NodeName, devices: [DeviceID])] {
        let reached = devices.filter { connected.contains($0.node) }
        return Dictionary(grouping: reached, by: \.node).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: Repetitions

    private mutating func scheduleRepetition(at now: RigTime) {
        if let repetition, repetition > now { return }
        repetition = now + interval
    }

    /// Returns whether prepare or fire is to be repeated to any of these cameras, which have not answered.
    func isRepetitionDue(to unanswered: [DeviceID], at now: RigTime) -> Bool {
        guard let next = nextRepetition(to: unanswered) else { return false }
        return next <= now
    }

    private func nextRepetition(to unanswered: [DeviceID]) -> RigTime? {
        unanswered.contains { connected.contains($0.node) } ? repetition : nil
    }

    /// Returns when a request is next due.
    /// - Parameters:
    ///   - unanswered: The cameras that have not answered prepare or fire.
    ///   - owing: The cameras that owe a file.
    func nextDeadline(unanswered: [DeviceID], owing: [DeviceID]) -> RigTime? {
        let asksForOwed = owing.contains { connected.contains($0.node) }
        return [nextRepetition(to: unanswered), asksForOwed ? owedDue ?? owedFrom : nil].compactMap(\.self).min()
    }
}
