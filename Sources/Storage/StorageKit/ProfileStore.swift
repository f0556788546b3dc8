public import CaptureModel

/// Stores the profiles of settings of a rig.
public protocol ProfileStore: Sendable {
    /// Returns all profiles in the order of their names. One that cannot be read has its problem instead of versions.
    /// - Throws: `inputOutput`.
    func profiles() async throws(StorageError) -> [ProfileSummary]

    /// Returns the versions of a profile, oldest first.
    /// - Throws: `notFound`; `corrupted` if the stored data cannot be read as a profile: they are set aside then, unless a newer program has
    ///   written them; `inputOutput`.
    func versions(of name: ProfileName) async throws(StorageError) -> [SettingsProfile]

    /// Adds a version to a profile, or begins it. Durable on return, and atomic. No version is added if the newest one has the same settings.
    /// - Parameters:
    ///   - cameras: In the order of their ids; at least one.
    ///   - realtimeNanoseconds: When it is saved.
    /// - Throws: `noSpace` also if there are too many profiles, or one version is too large; `corrupted` as ``versions(of:)``; `inputOutput`.
    func add(
        _ cameras: [SettingsProfile.Camera], to name: ProfileName, by principal: String, at realtimeNanoseconds: Int64
    ) async throws(StorageError) -> SavedProfile

    /// Removes all versions of a profile, durably.
    /// - Throws: `notFound`; `inputOutput`.
    func remove(_ name: ProfileName) async throws(StorageError)
}

/// The versions of a profile, oldest first.
public struct ProfileVersions: Hashable, Sendable {
    public let name: ProfileName
    public private(set) var versions: [SettingsProfile]

    public init(_ name: ProfileName, _ versions: [SettingsProfile] = []) {
        self.name = name
        self.versions = versions
    }

    /// Adds a version, unless the newest one has the same settings. The oldest one is removed if there are too many.
    public mutating func add(
        _ cameras: [SettingsProfile.Camera], by principal: String, at realtimeNanoseconds: Int64
    ) -> SavedProfile {
        if let newest = versions.last, newest.cameras == cameras { return SavedProfile(profile: newest, isNew: false) }
        let profile = SettingsProfile(
            name: name, version: (versions.last?.version ?? 0) + 1, realtimeNanoseconds: realtimeNanoseconds,
            principal: principal, cameras: cameras)
        versions.append(profile)
        let dropped = versions.count > SettingsProfile.versionLimit ? removeOldest() : nil
        return SavedProfile(profile: profile, isNew: true, dropped: dropped)
    }

    /// Removes the oldest version.
    /// - Returns: Its number; nil if there is one version only.
    public mutating func removeOldest() -> Int? { versions.count > 1 ? versions.removeFirst().version : nil }
}
