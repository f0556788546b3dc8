/// A device a selection can take.
public struct SelectionCandidate: Hashable, Sendable {
    public var device: DeviceDescription
    public var isUsable: Bool
    /// Whether its node still has it; one that it has not is taken only where it is named.
    public var isConfigured: Bool

    public init(device: DeviceDescription, isUsable: Bool, isConfigured: Bool = true) {
        self.device = device
        self.isUsable = isUsable
        self.isConfigured = isConfigured
    }

    public init(device: DeviceDescription, condition: DeviceCondition) {
        self.init(
            device: device, isUsable: condition.isUsable, isConfigured: condition.state != .notConfigured)
    }
}

/// A selection that takes no device, or names what there is not; says what there is.
public struct EmptySelection: Error, Hashable, CustomStringConvertible {
    public var existing: [DeviceDescription]
    /// What the selection names and the rig does not have, such as `node 'nroth'`.
    public var unknown: [String]
    /// What is selected and left out, since its nodes do not configure it any more.
    public var leftOut: LeftOutDevices?

    public init(existing: [DeviceDescription], unknown: [String] = [], leftOut: LeftOutDevices? = nil) {
        self.existing = existing
        self.unknown = unknown
        self.leftOut = leftOut
    }

    public var description: String {
        guard !existing.isEmpty else {
            return "nothing is selected: the rig knows no device; start an agent that has cameras"
        }
        let lines = existing.map {
            "  \($0.id)  type \($0.type)  position \($0.position)  \($0.labels.joined(separator: " "))"
        }
        let reason = unknown.isEmpty ? "" : ", since the rig has no " + unknown.joined(separator: ", no ")
        let remark = leftOut.map { "\n\($0)" } ?? ""
        return "nothing is selected\(reason); these devices exist:\n" + lines.joined(separator: "\n") + remark
    }
}

extension Selection {
    /// The devices this selection takes, in order of device id.
    ///
    /// A device, node or label that is named and that no candidate has is an error too, and so is a named device that the other
    /// filters leave out: a mistyped name must not leave cameras out in silence.
    public func evaluate(_ candidates: [SelectionCandidate]) throws(EmptySelection) -> [DeviceDescription] {
        let existing = candidates.sorted { $0.device.id < $1.device.id }
        let unknown = unknown(among: existing.map(\.device))
        guard unknown.isEmpty else { throw EmptySelection(existing: existing.map(\.device), unknown: unknown) }
        let passing = existing.filter { passes($0.device) && !isLeftOut($0) }
        let known = Set(passing.map(\.device.id))
        let taken = devices.allSatisfy(known.contains) ? take(from: passing) : []
        guard !taken.isEmpty else {
            throw EmptySelection(existing: existing.map(\.device), leftOut: leftOut(of: candidates))
        }
        return taken
    }

    /// What the selection means and leaves out, since its nodes do not configure it any more; nil where there is nothing.
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

    private func take(from candidates: [SelectionCandidate]) -> [DeviceDescription] {
        switch choice {
        case .all:
            return candidates.map(\.device)
        case .matching(let pairs):
            return candidates.map(\.device).filter { device in pairs.contains { $0.matches(device) } }
        case .first(let pairs, let scope):
            let taken = groups(of: candidates, by: scope).compactMap { Self.first(of: pairs, in: $0) }
            // A device with several labels may win in several groups.
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
    /// Whether `device` is of this type at this position.
    public func matches(_ device: DeviceDescription) -> Bool {
        (type == nil || type == device.type) && (position == .unspecified || position == device.position)
    }
}
