internal import CaptureModel

/// What the client asked for: `request`.
struct ShotRequestDocument: Codable, Sendable {
    var selection: SelectionDocument
    var settings: PhotoSettingsDocument
    var time: RequestedTimeDocument
    var requireAll: Bool

    private enum CodingKeys: String, CodingKey {
        case selection = "selection"
        case settings = "settings"
        case time = "time"
        case requireAll = "requireAll"
    }

    init(_ value: ShotRequest) {
        selection = SelectionDocument(value.selection)
        settings = PhotoSettingsDocument(value.settings)
        time = RequestedTimeDocument(value.time)
        requireAll = value.requireAll
    }

    var value: ShotRequest {
        ShotRequest(selection: selection.value, settings: settings.value, time: time.value, requireAll: requireAll)
    }
}

/// When T was wanted: an object with one member, whose name says how the time was given.
struct RequestedTimeDocument: Codable, Sendable {
    let value: RequestedTime

    private enum CodingKeys: String, CodingKey {
        case soon = "soon"
        case relative = "relative"
        case absolute = "absolute"
    }

    private enum MemberKeys: String, CodingKey {
        case lead = "lead"
        case nanoseconds = "nanoseconds"
        case realtimeNanoseconds = "realtimeNanoseconds"
    }

    init(_ value: RequestedTime) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let ways = try decoder.container(keyedBy: CodingKeys.self)
        let way = try ways.onlyKey()
        let members = try ways.nestedContainer(keyedBy: MemberKeys.self, forKey: way)
        value =
            switch way {
            case .soon: .soon(lead: try members.decodeIfPresent(Int64.self, forKey: .lead))
            case .relative: .relative(nanoseconds: try members.decode(Int64.self, forKey: .nanoseconds))
            case .absolute:
                .absolute(realtimeNanoseconds: try members.decode(Int64.self, forKey: .realtimeNanoseconds))
            }
    }

    func encode(to encoder: any Encoder) throws {
        var ways = encoder.container(keyedBy: CodingKeys.self)
        switch value {
        case .soon(let lead):
            var members = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .soon)
            try members.encodeIfPresent(lead, forKey: .lead)
        case .relative(let nanoseconds):
            var members = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .relative)
            try members.encode(nanoseconds, forKey: .nanoseconds)
        case .absolute(let nanoseconds):
            var members = ways.nestedContainer(keyedBy: MemberKeys.self, forKey: .absolute)
            try members.encode(nanoseconds, forKey: .realtimeNanoseconds)
        }
    }
}

extension KeyedDecodingContainer {
    /// The name of the only member; of an object that stands for one of several cases.
    func onlyKey() throws -> Key {
        guard let key = allKeys.first, allKeys.count == 1 else {
            let reason = "it has \(allKeys.count) of the members of which it has one"
            throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: reason))
        }
        return key
    }
}
