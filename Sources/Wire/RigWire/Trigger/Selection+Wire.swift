public import CaptureModel
public import RigProtocol

extension Selection {
    public init(wire: WireSelection) throws(WireError) {
        let reader = FieldReader("Selection")
        var nodes: [NodeName] = []
        for node in try reader.list(wire.nodes, "nodes", limit: WireLimits.devicesPerRequest) {
            nodes.append(try reader.name(node, "nodes"))
        }
        var labels: [String] = []
        for label in try reader.list(wire.labels, "labels", limit: WireLimits.labels) {
            labels.append(try reader.word(label, "labels"))
        }
        let devices = try reader.list(wire.devices, "devices", limit: WireLimits.devicesPerRequest)
        self.init(
            mediaType: wire.mediaType.isEmpty
                ? .video : try reader.word(wire.mediaType, "media_type", as: MediaType.self),
            nodes: nodes, devices: try devices.map(DeviceID.init(wire:)), labels: labels,
            choice: try Choice(wire: try reader.present(wire.choice, "choice")))
    }

    public var wire: WireSelection {
        var wire = WireSelection()
        wire.mediaType = mediaType.rawValue
        wire.nodes = nodes.map(\.rawValue)
        wire.devices = devices.map(\.wire)
        wire.labels = labels
        wire.choice = choice.wire
        return wire
    }
}

extension Selection.Choice {
    init(wire: WireSelection.OneOf_Choice) throws(WireError) {
        switch wire {
        case .all: self = .all
        case .matching(let matching):
            self = .matching(try Self.pairs(matching.pairs, FieldReader("Selection.Matching")))
        case .first(let first):
            let reader = FieldReader("Selection.First")
            let scope = try reader.word(first.per, "per", as: Selection.Scope.self)
            self = .first(try Self.pairs(first.pairs, reader), per: scope)
        }
    }

    private static func pairs(
        _ pairs: [WireTypeAndPosition], _ reader: FieldReader
    ) throws(WireError) -> [TypeAndPosition] {
        try reader.list(pairs, "pairs", limit: WireLimits.labels).map(TypeAndPosition.init(wire:))
    }

    var wire: WireSelection.OneOf_Choice {
        switch self {
        case .all:
            return .all(.init())
        case .matching(let pairs):
            var matching = WireSelection.Matching()
            matching.pairs = pairs.map(\.wire)
            return .matching(matching)
        case .first(let pairs, let scope):
            var first = WireSelection.First()
            first.pairs = pairs.map(\.wire)
            first.per = scope.rawValue
            return .first(first)
        }
    }
}

extension TypeAndPosition {
    public init(wire: WireTypeAndPosition) throws(WireError) {
        let reader = FieldReader("TypeAndPosition")
        self.init(
            type: wire.type.isEmpty ? nil : DeviceType(rawValue: try reader.word(wire.type, "type")),
            position: wire.position.isEmpty
                ? .unspecified : Position(rawValue: try reader.word(wire.position, "position")))
    }

    public var wire: WireTypeAndPosition {
        var wire = WireTypeAndPosition()
        wire.type = type?.rawValue ?? ""
        wire.position = position == .unspecified ? "" : position.rawValue
        return wire
    }
}
