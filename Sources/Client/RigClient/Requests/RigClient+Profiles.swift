public import CaptureModel
internal import RigProtocol
internal import RigWire

/// Profiles of settings, and past settings transactions.
extension RigClient {
    /// Saves what the selected cameras are asked to hold as the next version of a profile.
    public func saveProfile(_ name: ProfileName, of selection: Selection) async throws(RigClientError) -> SavedProfile {
        var save = WireSaveProfile()
        save.name = "\(name)"
        save.selection = selection.wire
        return try await request(.saveProfile(save), "settings save") { body throws(WireError) in
            guard case .savedProfile(let saved) = body else { return nil }
            return try SavedProfile(wire: saved)
        }
    }

    /// Removes a profile with all versions.
    /// - Returns: The profiles that remain.
    public func removeProfile(_ name: ProfileName) async throws(RigClientError) -> [ProfileSummary] {
        var remove = WireRemoveProfile()
        remove.name = "\(name)"
        return try await request(.removeProfile(remove), "settings remove", Self.list)
    }

    /// Returns the profiles of the rig in the order of their names.
    public func profiles() async throws(RigClientError) -> [ProfileSummary] {
        try await request(.listProfiles(WireListProfiles()), "settings list", Self.list)
    }

    /// Returns a version of a profile.
    public func profile(_ reference: ProfileReference) async throws(RigClientError) -> SettingsProfile {
        var get = WireGetProfile()
        get.profile = reference.wire
        return try await request(.getProfile(get), "settings diff") { body throws(WireError) in
            guard case .profile(let profile) = body else { return nil }
            return try SettingsProfile(wire: profile)
        }
    }

    /// Returns what cameras are asked to hold at present. Each node is asked.
    /// - Parameter selection: nil for all cameras.
    public func heldSettings(of selection: Selection? = nil) async throws(RigClientError) -> HeldProfile {
        var get = WireGetProfile()
        if let selection { get.selection = selection.wire }
        return try await request(.getProfile(get), "settings diff") { body throws(WireError) in
            guard case .profile(let held) = body else { return nil }
            return try HeldProfile(wire: held)
        }
    }

    /// Returns the newest settings transactions that cameras were told to carry out, newest first.
    public func settingsHistory() async throws(RigClientError) -> [PastSettings] {
        try await request(.listSettings(WireListSettings()), "settings history") { body throws(WireError) in
            guard case .settingsHistory(let history) = body else { return nil }
            return try PastSettings.list(wire: history)
        }
    }

    private static func list(_ body: WireClientReply.OneOf_Body) throws(WireError) -> [ProfileSummary]? {
        guard case .profileList(let list) = body else { return nil }
        return try ProfileSummary.list(wire: list)
    }

    private func request<Value>(
        _ body: WireClientRequest.OneOf_Body, _ operation: String,
        _ read: (WireClientReply.OneOf_Body) throws(WireError) -> Value?
    ) async throws(RigClientError) -> Value {
        try reading(try await ask(body, operation: operation), operation: operation, read)
    }
}
