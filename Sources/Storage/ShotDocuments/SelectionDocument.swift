internal import CaptureModel

/// Which devices were meant: `request.selection`.
struct SelectionDocument: Codable, Sendable {
    var mediaType: MediaType
    var nodes: [NodeName]
    var devices: [DeviceID]
    var labels: [String]
    var choice: ChoiceDocument

    private enum CodingKeys: String, CodingKey {
        case mediaType = "mediaType"
        case nodes = "nodes"
        case devices = "devices"
        case labels = "labels"
        case choice = "choice"
    }

    init(_ value: Selection) {
        mediaType = value.mediaType
        nodes = value.nodes
        devices = value.devices
        labels = value.labels
        choice = ChoiceDocument(value.choice)
    }

    var value: Selection {
        Selection(mediaType: mediaType, nodes: nodes, devices: devices, labels: labels, choice: choice.value)
    }
}

/// A device type at a position.
struct TypeAndPositionDocument: Codable, Sendable {
    var type: DeviceType?
    var position: Position

    private enum CodingKeys: String, CodingKey {
        case type = "type"
        case position = "position"
    }

    init(_ value: TypeAndPosition) {
        type = value.type
        position = value.position
    }

    var value: TypeAndPosition {
        TypeAndPosition(type: type, position: position)
    }
}

/// What is taken of the candidates: an object with one member, whose name says how.
struct ChoiceDocument: Codable, Sendable {
    let value: Selection.Choice

    private enum CodingKeys: String, CodingKey {
        case all = "all"
        case matching = "matching"
        case first = "first"
    }

    private enum MemberKeys: String, CodingKey {
        case pairs = "_0"
        case scope = "per"
    }

    init(_ value: Selection.Choice) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let ways = try decoder.container(keyedBy: CodingKeys.self)
        let way = try ways.onlyKey()
        let members = try ways.nestedContainer(keyedBy: MemberKeys.self, forKey: way)
        func pairs() throws -> [TypeAndPosition] {
            try members.decode([TypeAndPositionDocument].self, forKey: .pairs).map(\.value)
        }
        value =
            switch way {
            case .all: .all
            case .matching: .matching(try pairs())
            case .first: .first(try pairs(), per: try members.decode(Selection.Scope.self, forKey: .scope))
            }
    }

    func encode(to encoder: any Encoder) throws {
        var ways = encoder.container(keyedBy: CodingKeys.self)
        switch value {
        case .all:
            _ = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .all)
        case .matching(let pairs):
            var members = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .matching)
            try members.encode(pairs.map(TypeAndPositionDocument.init), forKey: .pairs)
        case .first(let pairs, let scope):
            var members = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .first)
            try members.encode(pairs.map(TypeAndPositionDocument.init), forKey: .pairs)
            try members.encode(scope, forKey: .scope)
        }
    }
}
