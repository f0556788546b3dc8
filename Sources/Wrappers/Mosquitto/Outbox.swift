internal import DequeModule

/// Messages that wait for a broker. Bounded: of states the newest of each topic is kept, of events the newest.
struct Outbox {
    /// What becomes of a message that waits while a further one of its topic comes.
    enum Kind {
        /// It is replaced, and so is never older than it must be.
        case state
        /// It stays, and both are sent in order.
        case event
    }

    struct Limits {
        var states = 4096
        var stateBytes = 16 << 20
        var events = 1024
        var eventBytes = 4 << 20
    }

    private let limits: Limits
    private var states: [String: MQTTMessage] = [:]
    /// The topics of ``states`` in the order in which they came.
    private var order: Deque<String> = []
    private var stateBytes = 0
    private var events: Deque<MQTTMessage> = []
    private var eventBytes = 0
    private var isEventNext = false
    /// Messages that were dropped since a bound was reached.
    private(set) var dropped: UInt64 = 0

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    var isEmpty: Bool { order.isEmpty && events.isEmpty }

    mutating func add(_ message: MQTTMessage, _ kind: Kind) {
        switch kind {
        case .state: addState(message)
        case .event: addEvent(message)
        }
    }

    private mutating func addState(_ message: MQTTMessage) {
        let older = states[message.topic]
        let bytes = stateBytes - (older?.payload.count ?? 0) + message.payload.count
        guard bytes <= limits.stateBytes, older != nil || states.count < limits.states else { return dropped += 1 }
        if older == nil { order.append(message.topic) }
        states[message.topic] = message
        stateBytes = bytes
    }

    private mutating func addEvent(_ message: MQTTMessage) {
        guard message.payload.count <= limits.eventBytes else { return dropped += 1 }
        events.append(message)
        eventBytes += message.payload.count
        while events.count > limits.events || eventBytes > limits.eventBytes {
            eventBytes -= events.removeFirst().payload.count
            dropped += 1
        }
    }

    /// The next message; a state and an event in turn.
    mutating func removeNext() -> MQTTMessage? {
        isEventNext.toggle()
        return isEventNext ? removeEvent() ?? removeState() : removeState() ?? removeEvent()
    }

    private mutating func removeState() -> MQTTMessage? {
        guard let topic = order.popFirst(), let message = states.removeValue(forKey: topic) else { return nil }
        stateBytes -= message.payload.count
        return message
    }

    private mutating func removeEvent() -> MQTTMessage? {
        guard let message = events.popFirst() else { return nil }
        eventBytes -= message.payload.count
        return message
    }
}
