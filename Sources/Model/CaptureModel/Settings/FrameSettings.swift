/// Which settings of its camera a frame was taken with, apart from those that its capture itself sets, as for a bracket.
public enum FrameSettings: Hashable, Sendable {
    /// Those of a transaction, which are the camera's revision.
    case inForce(SettingsID)
    /// They were being changed: the frame may have those before, those after or, of several values, some of both. nil stands for settings
    /// that no transaction has made, and for those of which it is not known which.
    case changing(from: SettingsID?, to: SettingsID?)
}

extension FrameSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case state = "state"
        case revision = "revision"
        case from = "from"
        case to = "to"
    }

    /// Whether the settings are known.
    private enum State: String, Codable, CaseIterable {
        case inForce, changing
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(State.self, forKey: .state) {
        case .inForce: self = .inForce(try container.decode(SettingsID.self, forKey: .revision))
        case .changing:
            self = .changing(
                from: try container.decodeIfPresent(SettingsID.self, forKey: .from),
                to: try container.decodeIfPresent(SettingsID.self, forKey: .to))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .inForce(let revision):
            try container.encode(State.inForce, forKey: .state)
            try container.encode(revision, forKey: .revision)
        case .changing(let before, let after):
            try container.encode(State.changing, forKey: .state)
            try container.encodeIfPresent(before, forKey: .from)
            try container.encodeIfPresent(after, forKey: .to)
        }
    }
}

/// Which settings the frames of a clip were taken with, from one frame on.
public struct ClipSettings: Hashable, Codable, Sendable {
    /// Mid-exposure of the first frame that has them, in nanoseconds from the clip's start.
    public var startNanoseconds: Int64
    /// nil: none that a transaction has made.
    public var settings: FrameSettings?

    public init(startNanoseconds: Int64, settings: FrameSettings?) {
        self.startNanoseconds = startNanoseconds
        self.settings = settings
    }

    private enum CodingKeys: String, CodingKey {
        case startNanoseconds = "startNanoseconds"
        case settings = "settings"
    }

    /// The most entries that a clip has. The last one may represent several; it is then ``FrameSettings/changing(from:to:)``.
    public static let limit = 32
}
