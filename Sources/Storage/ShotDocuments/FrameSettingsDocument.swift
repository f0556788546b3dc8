internal import CaptureModel

/// Which settings a frame was taken with: `settings` of `timing`.
struct FrameSettingsDocument: Codable, Sendable {
    /// Whether the settings are known.
    enum State: String, Codable, Sendable {
        case inForce, changing
    }

    var state: State
    /// Of settings that are in force.
    var revision: SettingsID?
    /// Of settings that were being changed.
    var from: SettingsID?
    var to: SettingsID?

    private enum CodingKeys: String, CodingKey {
        case state = "state"
        case revision = "revision"
        case from = "from"
        case to = "to"
    }

    init(_ value: FrameSettings) {
        switch value {
        case .inForce(let id): (state, revision) = (.inForce, id)
        case .changing(let before, let after): (state, from, to) = (.changing, before, after)
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        state = try container.decode(State.self, forKey: .state)
        switch state {
        case .inForce: revision = try container.decode(SettingsID.self, forKey: .revision)
        case .changing:
            from = try container.decodeIfPresent(SettingsID.self, forKey: .from)
            to = try container.decodeIfPresent(SettingsID.self, forKey: .to)
        }
    }

    var value: FrameSettings {
        if let revision { .inForce(revision) } else { .changing(from: from, to: to) }
    }
}

/// Which settings the frames of a clip were taken with: an entry of `settings` of `clip`.
struct ClipSettingsDocument: Codable, Sendable {
    var startNanoseconds: Int64
    /// Absent where no transaction has made them.
    var settings: FrameSettingsDocument?

    private enum CodingKeys: String, CodingKey {
        case startNanoseconds = "startNanoseconds"
        case settings = "settings"
    }

    init(_ value: ClipSettings) {
        startNanoseconds = value.startNanoseconds
        settings = value.settings.map(FrameSettingsDocument.init)
    }

    var value: ClipSettings { ClipSettings(startNanoseconds: startNanoseconds, settings: settings?.value) }
}
