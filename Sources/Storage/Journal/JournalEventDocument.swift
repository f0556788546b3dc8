public import CaptureModel
internal import Foundation

/// The content of a journal's record of an event: a JSON object. Its members are named only here, so renaming a property of the program's
/// types changes no file.
///
/// | member | value |
/// |---|---|
/// | `name` | what happened, such as `device.running` |
/// | `realtimeNs` | wall clock of the source, nanoseconds since 1970 |
/// | `localNs` | the source's own clock |
/// | `rigNs`, `boundNs` | the same instant on the rig's time line, and its largest error; both or neither |
/// | `device` | `node/device`, if the event concerns one |
/// | `shot` | the shot's id, if the event concerns one |
/// | `details` | further facts, text by name; absent if there are none |
/// | `sourceEpoch`, `sourceSequence` | in the feed's journal: the event's number at its source; the epoch as 16 hexadecimal digits |
/// | `node` | in the feed's journal: the node that the event occurred on; absent for the coordinator |
///
/// A reader ignores members that it does not know.
struct JournalEventDocument: Hashable, Codable {
    var name: String
    var realtimeNs: Int64
    var localNs: Int64
    var rigNs: Int64?
    var boundNs: Int64?
    var device: String?
    var shot: String?
    var details: [String: String]?
    var sourceEpoch: String?
    var sourceSequence: UInt64?
    var node: String?

    private enum CodingKeys: String, CodingKey {
        case name = "name"
        case realtimeNs = "realtimeNs"
        case localNs = "localNs"
        case rigNs = "rigNs"
        case boundNs = "boundNs"
        case device = "device"
        case shot = "shot"
        case details = "details"
        case sourceEpoch = "sourceEpoch"
        case sourceSequence = "sourceSequence"
        case node = "node"
    }

    init(_ event: RigEvent) {
        name = event.name.rawValue
        realtimeNs = event.realtimeNanoseconds
        localNs = event.local.nanoseconds
        rigNs = event.rig?.time.nanoseconds
        boundNs = event.rig?.boundNanoseconds
        device = event.device?.description
        shot = event.shot?.description
        details = event.details.isEmpty ? nil : event.details
    }

    init(_ source: NumberedEvent, from node: NodeName?) {
        self.init(source.event)
        sourceEpoch = source.epoch.description
        sourceSequence = source.sequence
        self.node = node?.rawValue
    }

    /// The members in the order of their names; empty if a text cannot be represented in JSON.
    var bytes: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    /// - Throws: If the bytes are not such a document.
    init(bytes: [UInt8]) throws(UnreadableEvent) {
        do {
            self = try JSONDecoder().decode(JournalEventDocument.self, from: Data(bytes))
        } catch {
            throw UnreadableEvent("it is not an event document: \(error)")
        }
    }

    func event() throws(UnreadableEvent) -> RigEvent {
        let name = EventName(rawValue: name)
        guard name.isWellFormed else { throw UnreadableEvent("its name is not well formed") }
        var event = RigEvent(name, realtimeNanoseconds: realtimeNs, local: LocalTime(nanoseconds: localNs))
        switch (rigNs, boundNs) {
        case (let time?, let bound?) where bound >= 0:
            event.rig = BoundedRigTime(time: RigTime(nanoseconds: time), bound: .nanoseconds(bound))
        case (nil, nil): break
        default: throw UnreadableEvent("its rig time has no bound")
        }
        if let device {
            guard let id = try? DeviceID(device) else { throw UnreadableEvent("its device is not valid") }
            event.device = id
        }
        if let shot {
            guard let id = ShotID(shot) else { throw UnreadableEvent("its shot is not valid") }
            event.shot = id
        }
        event.details = details ?? [:]
        return event
    }

    func feedEvent(at position: EventPosition) throws(UnreadableEvent) -> FeedEvent {
        guard let epoch = sourceEpoch.flatMap({ UInt64($0, radix: 16) }).flatMap(Epoch.init(rawValue:)),
            let sequence = sourceSequence, (1...UInt64(Int64.max)).contains(sequence)
        else { throw UnreadableEvent("its source has no number") }
        let source = NumberedEvent(epoch: epoch, sequence: sequence, event: try event())
        guard let node else {
            return FeedEvent(
                coordinatorEpoch: position.epoch, sequence: position.sequence, node: nil, source: source)
        }
        guard let name = try? NodeName(node) else { throw UnreadableEvent("its node is not valid") }
        return FeedEvent(
            coordinatorEpoch: position.epoch, sequence: position.sequence, node: name, source: source)
    }
}

extension JournaledEvent {
    /// Returns the event of a node's journal.
    public func event() throws(UnreadableEvent) -> RigEvent {
        try JournalEventDocument(bytes: document).event()
    }

    /// Returns the event of the feed's journal, with its number in the feed.
    public func feedEvent() throws(UnreadableEvent) -> FeedEvent {
        try JournalEventDocument(bytes: document).feedEvent(at: position)
    }
}

extension EventJournal {
    /// Appends an event of a node.
    /// - Parameters:
    ///   - lifetime: What the event opens or closes.
    ///   - sequence: Its number, for callers that count themselves. If it is not above all numbers used so far, the next number is used.
    @discardableResult
    public func append(_ event: RigEvent, lifetime: EventLifetime? = nil, as sequence: UInt64? = nil) -> UInt64 {
        append(document: JournalEventDocument(event).bytes, lifetime: lifetime, as: sequence)
    }

    /// Appends an event of the feed under its number.
    @discardableResult
    public func append(_ event: FeedEvent) -> UInt64 {
        append(document: JournalEventDocument(event.source, from: event.node).bytes, as: event.sequence)
    }
}
