/// A selection of devices for a command: one grammar for API, bus and command line.
///
/// The filters narrow the candidates; an empty filter matches everything. `choice` then selects some of them.
public struct Selection: Hashable, Codable, Sendable {
    public var mediaType: MediaType
    public var nodes: [NodeName]
    public var devices: [DeviceID]
    public var labels: [String]
    public var choice: Choice

    /// Which of the candidates are selected. As a document, it is an object with one member, whose name states the rule.
    public enum Choice: Hashable, Codable, Sendable {
        /// Every candidate, usable or not. An unusable one becomes a missed outcome.
        case all
        /// Every candidate that matches one of the pairs, usable or not.
        case matching([TypeAndPosition])
        /// Within each scope, the first usable candidate of the first pair that has one, like AVFoundation's default
        /// device chain. If none is usable, the first candidate of the first pair that has one.
        case first([TypeAndPosition], per: Scope)

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case all = "all"
            case matching = "matching"
            case first = "first"
        }

        private enum AllCodingKeys: CodingKey {}

        private enum MatchingCodingKeys: String, CodingKey {
            case _0 = "_0"
        }

        private enum FirstCodingKeys: String, CodingKey {
            case _0 = "_0"
            case per = "per"
        }
    }

    /// The group from which `first` selects one device.
    public enum Scope: String, Hashable, Codable, Sendable, CaseIterable {
        case rig
        case node
        case label
    }

    public init(
        mediaType: MediaType = .video, nodes: [NodeName] = [], devices: [DeviceID] = [], labels: [String] = [],
        choice: Choice = .all
    ) {
        self.mediaType = mediaType
        self.nodes = nodes
        self.devices = devices
        self.labels = labels
        self.choice = choice
    }

    private enum CodingKeys: String, CodingKey {
        case mediaType = "mediaType"
        case nodes = "nodes"
        case devices = "devices"
        case labels = "labels"
        case choice = "choice"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        mediaType = try members.decode(.mediaType, by: decoder, usual: .video)
        let nodes = try members.decode(.nodes, by: decoder, usual: [NodeName]())
        let devices = try members.decode(.devices, by: decoder, usual: [DeviceID]())
        let labels = try members.decode(.labels, by: decoder, usual: [String]())
        let isFiltered = !nodes.isEmpty || !devices.isEmpty || !labels.isEmpty
        choice = try members.decode(.choice, by: decoder, usual: try Choice.usual(isFiltered: isFiltered))
        (self.nodes, self.devices, self.labels) = (nodes, devices, labels)
    }

    /// Devices and nodes that a selection may name.
    public static let longestList = 4096

    /// Labels, and pairs of type and position, that a selection may name.
    public static let mostLabels = 32
}

extension Selection.Choice {
    /// What a selection without a choice means. Without filters it never means all by an oversight.
    fileprivate static func usual(isFiltered: Bool) throws -> Self {
        guard !isFiltered else { return .all }
        throw InvalidDocument(
            "choice",
            "this member is required, unless nodes, devices or labels are named; all devices are {\"all\": {}}")
    }

    /// The pairs of types and positions, with the member that has them.
    fileprivate var pairs: (pairs: [TypeAndPosition], member: String) {
        switch self {
        case .all: ([], "all")
        case .matching(let pairs): (pairs, "matching._0")
        case .first(let pairs, _): (pairs, "first._0")
        }
    }
}

extension Selection: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(count: nodes.count, "nodes", in: 0...Self.longestList)
        try check(count: devices.count, "devices", in: 0...Self.longestList)
        try check(count: labels.count, "labels", in: 0...Self.mostLabels)
        for (index, label) in labels.enumerated() { try check(word: label, "labels[\(index)]") }
        let (pairs, member) = choice.pairs
        try check(count: pairs.count, "choice.\(member)", in: 0...Self.mostLabels)
        try check(pairs, "choice.\(member)")
    }
}

extension Selection: ExplainsUnknownMembers {
    public static func explanation(ofUnknown member: String) -> String? {
        switch member {
        case "all": "all devices are \"choice\": {\"all\": {}}"
        case "type", "position": "a type and position are \"choice\": {\"matching\": {\"_0\": [{\"\(member)\": …}]}}"
        default: nil
        }
    }
}

/// A step of a chain: a device type, or any, at a position, or any.
public struct TypeAndPosition: Hashable, Codable, Sendable {
    /// nil matches any type.
    public var type: DeviceType?
    /// `.unspecified` matches any position.
    public var position: Position

    public init(type: DeviceType? = nil, position: Position = .unspecified) {
        self.type = type
        self.position = position
    }

    private enum CodingKeys: String, CodingKey {
        case type = "type"
        case position = "position"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        type = try members.decodeIfPresent(DeviceType.self, forKey: .type)
        position = try members.decode(.position, by: decoder, usual: .unspecified)
    }
}

extension TypeAndPosition: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(word: type?.rawValue, "type")
        try check(word: position.rawValue, "position")
    }
}

/// A device that a selection may choose.
public struct SelectionCandidate: Hashable, Sendable {
    public var device: DeviceDescription
    public var isUsable: Bool
    /// Whether its node configures it. A device that is not configured is selected only by its id.
    public var isConfigured: Bool
    /// Why it is closed, if somebody wants it so; nil if it runs, or should.
    public var deliberateStop: String?

    public init(
        device: DeviceDescription, isUsable: Bool, isConfigured: Bool = true, deliberateStop: String? = nil
    ) {
        self.device = device
        self.isUsable = isUsable
        self.isConfigured = isConfigured
        self.deliberateStop = deliberateStop
    }

    public init(device: DeviceDescription, condition: DeviceCondition) {
        self.init(
            device: device, isUsable: condition.isUsable, isConfigured: condition.state != .notConfigured,
            deliberateStop: condition.deliberateStop)
    }
}

extension Selection {
    /// Returns the devices that match this selection, in order of device id.
    ///
    /// Throws also if no candidate has a named device, node or label, and if other filters leave out a named device: a
    /// mistyped name must not leave out cameras silently.
    public func evaluate(_ candidates: [SelectionCandidate]) throws(EmptySelection) -> [DeviceDescription] {
        let existing = candidates.sorted { $0.device.id < $1.device.id }
        let unknown = unknown(among: existing.map(\.device))
        guard unknown.isEmpty else { throw EmptySelection(existing: existing.map(\.device), unknown: unknown) }
        let passing = existing.filter { passes($0.device) && !isLeftOut($0) }
        let known = Set(passing.map(\.device.id))
        let taken = devices.allSatisfy(known.contains) ? select(from: passing) : []
        guard !taken.isEmpty else {
            throw EmptySelection(existing: existing.map(\.device), leftOut: leftOut(of: candidates))
        }
        return taken
    }

    /// Returns the devices that match but are left out, because their nodes do not configure them; nil if there are none.
    public func leftOut(of candidates: [SelectionCandidate]) -> LeftOutDevices? {
        let devices = candidates.filter { isLeftOut($0) && passes($0.device) && isMeant($0.device) }.map(\.device.id)
        return LeftOutDevices(devices.sorted())
    }

    private func isLeftOut(_ candidate: SelectionCandidate) -> Bool {
        !candidate.isConfigured && !devices.contains(candidate.device.id)
    }

    private func isMeant(_ device: DeviceDescription) -> Bool {
        switch choice {
        case .all: true
        case .matching(let pairs): pairs.contains { $0.matches(device) }
        case .first(let pairs, _): pairs.isEmpty || pairs.contains { $0.matches(device) }
        }
    }

    private func unknown(among existing: [DeviceDescription]) -> [String] {
        let (ids, names) = (Set(existing.map(\.id)), Set(existing.map(\.id.node)))
        let known = Set(existing.flatMap(\.labels))
        return devices.filter { !ids.contains($0) }.map { "device '\($0)'" }
            + nodes.filter { !names.contains($0) }.map { "node '\($0)'" }
            + labels.filter { !known.contains($0) }.map { "device with the label '\($0)'" }
    }

    private func passes(_ device: DeviceDescription) -> Bool {
        device.mediaType == mediaType
            && (nodes.isEmpty || nodes.contains(device.id.node))
            && (devices.isEmpty || devices.contains(device.id))
            && (labels.isEmpty || labels.contains(where: device.labels.contains))
    }

    private func select(from candidates: [SelectionCandidate]) -> [DeviceDescription] {
        switch choice {
        case .all:
            return candidates.map(\.device)
        case .matching(let pairs):
            return candidates.map(\.device).filter { device in pairs.contains { $0.matches(device) } }
        case .first(let pairs, let scope):
            let taken = groups(of: candidates, by: scope).compactMap { Self.first(of: pairs, in: $0) }
            // A device with several labels may be chosen in several groups.
            return Set(taken).sorted { $0.id < $1.id }
        }
    }

    private func groups(of candidates: [SelectionCandidate], by scope: Scope) -> [[SelectionCandidate]] {
        switch scope {
        case .rig:
            return [candidates]
        case .node:
            return Dictionary(grouping: candidates, by: \.device.id.node).sorted { $0.key < $1.key }.map(\.value)
        case .label:
            let wanted = labels.isEmpty ? Set(candidates.flatMap(\.device.labels)).sorted() : labels
            return wanted.map { label in candidates.filter { $0.device.labels.contains(label) } }
        }
    }

    private static func first(of pairs: [TypeAndPosition], in candidates: [SelectionCandidate]) -> DeviceDescription? {
        let chain = pairs.isEmpty ? [TypeAndPosition()] : pairs
        let matching = chain.flatMap { pair in candidates.filter { pair.matches($0.device) } }
        return (matching.first(where: \.isUsable) ?? matching.first)?.device
    }
}

extension TypeAndPosition {
    /// Returns whether `device` is of this type at this position.
    public func matches(_ device: DeviceDescription) -> Bool {
        (type == nil || type == device.type) && (position == .unspecified || position == device.position)
    }
}
