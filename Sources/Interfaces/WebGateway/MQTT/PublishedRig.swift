internal import CaptureModel
internal import Mosquitto
internal import RigClient
internal import RigDocuments

/// What the broker has been told of a rig, and what it is to be told next. Pure.
struct PublishedRig {
    /// How often states and figures are published that change all the time.
    static let interval = Duration.seconds(10)

    private let topics: MQTTTopics
    private let discovery: MQTTDiscovery
    /// The newest discovery messages, by topic.
    private var announced: [String: [UInt8]] = [:]
    private var devices: [DeviceID: Published] = [:]
    private var rig: (essence: RigEssence, at: LocalTime)?
    private var isCoordinatorUp: Bool?
    /// Kept discovery topics that came before the devices were known.
    private var unjudged: [String] = []
    private var unjudgedDevices: [DeviceID] = []

    private struct Published {
        var essence: DeviceEssence
        var stateAt: LocalTime
        var figuresAt: LocalTime
        var figures: DeviceFigures
    }

    init(topics: MQTTTopics, discovery: MQTTDiscovery) {
        self.topics = topics
        self.discovery = discovery
    }

    /// Whether the devices are known, so that what the broker keeps of others can be removed.
    private var isInformed: Bool { rig != nil }

    /// The coordinator has answered.
    mutating func show(_ status: RigStatus, _ statuses: [DeviceStatus], at now: LocalTime) -> [MQTTMessage] {
        var messages = coordinator(isUp: true)
        messages += announce(statuses.map(\.device))
        messages += remove(devicesBut: Set(statuses.map(\.device.id)))
        let essence = RigEssence(status)
        if rig.map({ $0.essence != essence || now >= $0.at + Self.interval }) ?? true {
            rig = (essence, now)
            messages += message(topics.state, StatusDocument(status, devices: statuses))
        }
        for status in statuses { messages += show(status, at: now) }
        for topic in unjudged { messages += judge(keptDiscovery: topic) }
        for device in unjudgedDevices { messages += judge(keptState: device) }
        (unjudged, unjudgedDevices) = ([], [])
        return messages
    }

    /// The coordinator does not answer.
    mutating func coordinatorIsSilent() -> [MQTTMessage] { coordinator(isUp: false) }

    private mutating func coordinator(isUp: Bool) -> [MQTTMessage] {
        guard isCoordinatorUp != isUp else { return [] }
        isCoordinatorUp = isUp
        return [MQTTMessage(topics.coordinator, isUp ? MQTTTopics.online : MQTTTopics.offline, isRetained: true)]
    }

    private func message(_ topic: String, _ document: some Encodable) -> [MQTTMessage] {
        (try? MQTTMessage(topic, document: document, isRetained: true)).map { [$0] } ?? []
    }

    private mutating func announce(_ descriptions: [DeviceDescription]) -> [MQTTMessage] {
        let wanted = discovery.messages(descriptions)
        let changed = wanted.filter { announced[$0.topic] != $0.payload }
        let topics = Set(wanted.map(\.topic))
        let gone = announced.keys.filter { !topics.contains($0) }.sorted()
        announced = Dictionary(wanted.map { ($0.topic, $0.payload) }) { $1 }
        return gone.map(MQTTMessage.removal) + changed
    }

    private mutating func remove(devicesBut present: Set<DeviceID>) -> [MQTTMessage] {
        let gone = devices.keys.filter { !present.contains($0) }.sorted()
        for device in gone { devices[device] = nil }
        return gone.flatMap(removal)
    }

    private func removal(of device: DeviceID) -> [MQTTMessage] {
        [.removal(of: topics.state(of: device)), .removal(of: topics.figures(of: device))]
    }

    private mutating func show(_ status: DeviceStatus, at now: LocalTime) -> [MQTTMessage] {
        let (id, essence) = (status.device.id, DeviceEssence(status))
        guard var known = devices[id] else {
            let figures = DeviceFigures(status, at: now)
            devices[id] = Published(essence: essence, stateAt: now, figuresAt: now, figures: figures)
            return message(topics.state(of: id), DeviceDocument(status))
                + message(topics.figures(of: id), DeviceFiguresDocument(figures))
        }
        var messages: [MQTTMessage] = []
        if known.essence != essence || now >= known.stateAt + Self.interval {
            (known.essence, known.stateAt) = (essence, now)
            messages += message(topics.state(of: id), DeviceDocument(status))
        }
        if now >= known.figuresAt + Self.interval {
            known.figuresAt = now
            known.figures.measure(status, at: now)
            messages += message(topics.figures(of: id), DeviceFiguresDocument(known.figures))
        }
        devices[id] = known
        return messages
    }

    /// A picture of a shot was taken.
    mutating func note(skewNanoseconds: Int64, of shot: ShotID?, by device: DeviceID) -> [MQTTMessage] {
        guard var known = devices[device] else { return [] }
        known.figures.lastSkew = (skewNanoseconds, shot)
        devices[device] = known
        return message(topics.figures(of: device), DeviceFiguresDocument(known.figures))
    }

    /// Home Assistant has started: it is told everything once more.
    func repeatAnnouncements() -> [MQTTMessage] {
        announced.sorted { $0.key < $1.key }.map { MQTTMessage($0.key, $0.value, isRetained: true) }
    }

    /// The broker keeps a discovery message of this rig, which an earlier gateway may have left.
    mutating func judge(keptDiscovery topic: String) -> [MQTTMessage] {
        guard isInformed else {
            if unjudged.count < Self.unjudgedLimit { unjudged.append(topic) }
            return []
        }
        return announced[topic] == nil ? [.removal(of: topic)] : []
    }

    /// The broker keeps the state of a device.
    mutating func judge(keptState device: DeviceID) -> [MQTTMessage] {
        guard isInformed else {
            if unjudgedDevices.count < Self.unjudgedLimit { unjudgedDevices.append(device) }
            return []
        }
        return devices[device] == nil ? removal(of: device) : []
    }

    /// Kept messages that wait until the devices are known. Those beyond stay until the next gateway begins to publish.
    static let unjudgedLimit = 4096
}

/// What of a rig's state people want to know at once.
private struct RigEssence: Equatable {
    let connected: [NodeName]
    let openShots: Int
    let libraryProblem: String?

    init(_ status: RigStatus) {
        connected = status.nodes.filter(\.isConnected).map(\.node)
        openShots = status.openShots
        libraryProblem = status.libraryProblem?.message
    }
}

/// What of a device's state people want to know at once: all but counters and phase.
private struct DeviceEssence: Equatable {
    let device: DeviceDescription
    let state: DeviceCondition.State
    let reason: String?
    let format: VideoFormat?

    init(_ status: DeviceStatus) {
        device = status.device
        (state, reason, format) = (status.condition.state, status.condition.reason, status.condition.format)
    }
}

/// The figures of a device.
struct DeviceFigures {
    private(set) var delivered: UInt64
    private(set) var dropped: UInt64
    private var measuredAt: LocalTime
    /// Frames a second between the last two measurements; nil before two, or if the counters were reset.
    private(set) var rate: Double?
    var lastSkew: (nanoseconds: Int64, shot: ShotID?)?

    init(_ status: DeviceStatus, at now: LocalTime) {
        let counters = status.condition.counters
        (delivered, dropped) = (counters.delivered, counters.droppedByDevice &+ counters.droppedByNode)
        measuredAt = now
    }

    mutating func measure(_ status: DeviceStatus, at now: LocalTime) {
        let (before, begun) = (delivered, measuredAt)
        let skew = lastSkew
        self = DeviceFigures(status, at: now)
        lastSkew = skew
        let seconds = (now - begun).seconds
        if delivered >= before, seconds > 0 { rate = Double(delivered - before) / seconds }
    }
}

/// ``DeviceFigures`` for users.
struct DeviceFiguresDocument: Encodable {
    var dropped: Integer64
    /// Rounded to tenths; absent before it is known.
    var framesPerSecond: Double?
    var lastShot: ShotID?
    var lastSkewNanoseconds: Integer64?

    init(_ figures: DeviceFigures) {
        dropped = Integer64(figures.dropped)
        framesPerSecond = figures.rate.map { ($0 * 10).rounded() / 10 }
        lastShot = figures.lastSkew?.shot
        lastSkewNanoseconds = figures.lastSkew.map { Integer64($0.nanoseconds) }
    }
}
