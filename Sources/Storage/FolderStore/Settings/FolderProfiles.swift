public import CaptureModel
internal import FoundationEssentials
public import PosixSupport
internal import ShotDocuments
public import StorageKit

/// The profiles of a rig stored as files `profiles/NAME.json` of a folder, such as the coordinator's state folder. Runs on a thread that may
/// block on the disk.
public actor FolderProfiles: ProfileStore {
    private static let byteLimit = 4 << 20
    private static let suffix = ".json"

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    /// Files that cannot be read are moved to its folder `damaged`.
    private let root: Folder
    private let folder: Folder

    /// Creates the folders if they are missing.
    public init(folder path: String, executor: ThreadExecutor, fault: FileFault? = nil) throws(PosixError) {
        root = try Folder.make(path, fault: fault)
        folder = try root.makeDurableFolder("profiles")
        self.executor = executor
    }

    public func profiles() throws(StorageError) -> [ProfileSummary] {
        try names().map { name throws(StorageError) in
            do throws(StorageError) {
                return ProfileSummary(name, try versions(of: name))
            } catch {
                guard error.code == .corrupted else { throw error }
                return ProfileSummary(name: name, versions: [], problem: RigProblem(.corrupted, error.description))
            }
        }
    }

    private func names() throws(StorageError) -> [ProfileName] {
        try folder.attempt { () throws(PosixError) in try folder.entries() }
            .compactMap { entry in
                entry.name.hasSuffix(Self.suffix) ? ProfileName(String(entry.name.dropLast(Self.suffix.count))) : nil
            }
            .sorted()
    }

    public func versions(of name: ProfileName) throws(StorageError) -> [SettingsProfile] {
        guard let versions = try stored(name) else {
            throw StorageError(.notFound, "read", name, "the rig has no profile '\(name)'")
        }
        return versions
    }

    /// - Returns: nil if there is no such profile.
    private func stored(_ name: ProfileName) throws(StorageError) -> [SettingsProfile]? {
        let file = "\(name)\(Self.suffix)"
        let bytes = try folder.attempt { () throws(PosixError) in
            try folder.entry(file) == nil ? nil : try folder.read(file, limit: Self.byteLimit)
        }
        guard let bytes else { return nil }
        do {
            return try ProfileFile.versions(of: name, in: bytes)
        } catch let error as ProfileFile.NewerVersion {
            throw StorageError(
                .corrupted, "read", name,
                "the profile \(folder.path(of: file)) has schema version \(error.schemaVersion), and this program knows \(ProfileFile.schemaVersion); install the version that has written it, or remove the file"
            )
        } catch {
            let kept = try root.setAsideDamaged(file, in: folder, as: "profile.\(file)")
            throw StorageError(
                .corrupted, "read", name,
                "the profile \(folder.path(of: file)) is damaged: \(error); it is \(kept) now, and '\(name)' can be saved again"
            )
        }
    }

    public func add(
        _ cameras: [SettingsProfile.Camera], to name: ProfileName, by principal: String, at realtimeNanoseconds: Int64
    ) throws(StorageError) -> SavedProfile {
        let earlier = try stored(name)
        if earlier == nil, try names().count >= SettingsProfile.limit {
            throw StorageError(
                .noSpace, "save", name,
                "the rig has \(SettingsProfile.limit) profiles, the most that it keeps; remove one with `capctl settings remove`"
            )
        }
        var versions = ProfileVersions(name, earlier ?? [])
        var saved = versions.add(cameras, by: principal, at: realtimeNanoseconds)
        guard saved.isNew else { return saved }
        var bytes = try ProfileFile.encoded(versions)
        while bytes.count > Self.byteLimit {
            guard let dropped = versions.removeOldest() else {
                throw StorageError(
                    .noSpace, "save", name, "the profile '\(name)' would have more than \(Self.byteLimit >> 20) MiB")
            }
            saved.dropped = dropped
            bytes = try ProfileFile.encoded(versions)
        }
        try folder.attempt { () throws(PosixError) in try folder.publish([bytes], as: "\(name)\(Self.suffix)") }
        return saved
    }

    public func remove(_ name: ProfileName) throws(StorageError) {
        let file = "\(name)\(Self.suffix)"
        let isPresent = try folder.attempt { () throws(PosixError) in
            guard try folder.entry(file) != nil else { return false }
            try folder.remove(file)
            try folder.sync()
            return true
        }
        guard isPresent else { throw StorageError(.notFound, "remove", name, "the rig has no profile '\(name)'") }
    }
}

extension Folder {
    /// Moves a damaged file to the folder `damaged` of this one, durably.
    /// - Returns: Its path there.
    func setAsideDamaged(_ name: String, in folder: Folder, as wanted: String) throws(StorageError) -> String {
        try attempt { () throws(PosixError) in
            let damaged = try makeDurableFolder("damaged")
            let kept = try folder.setAside(name, in: damaged, as: wanted)
            try damaged.sync()
            try folder.sync()
            return damaged.path(of: kept)
        }
    }
}

/// The content of a profile's file.
struct ProfileFile: Codable {
    static let schemaVersion = 1

    /// A file of a program that is newer than this one.
    struct NewerVersion: Error {
        var schemaVersion: Int
    }

    private struct Version: Codable {
        var cameras: [Camera]
        var principal: String
        /// Text, since JSON numbers of many programs have 53 bits.
        var savedRealtimeNanoseconds: String
        var version: Int
    }

    private struct Camera: Codable {
        var device: DeviceID
        var make: String?
        var model: String?
        /// In the grammar of docs/settings.md.
        var settings: String
    }

    private struct Header: Codable {
        var schemaVersion: Int
    }

    private var schemaVersion = ProfileFile.schemaVersion
    /// Oldest first.
    private var versions: [Version]

    static func encoded(_ profile: ProfileVersions) throws(StorageError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = ProfileFile(
            versions: profile.versions.map { version in
                Version(
                    cameras: version.cameras.map {
                        Camera(device: $0.device, make: $0.make, model: $0.model, settings: "\($0.settings)")
                    },
                    principal: version.principal, savedRealtimeNanoseconds: "\(version.realtimeNanoseconds)",
                    version: version.version)
            })
        do {
            return Array(try encoder.encode(file))
        } catch {
            throw StorageError(
                .inputOutput, "write", profile.name, "the profile '\(profile.name)' cannot be written: \(error)")
        }
    }

    /// - Throws: ``NewerVersion``; anything else if the content is damaged.
    static func versions(of name: ProfileName, in content: [UInt8]) throws -> [SettingsProfile] {
        let decoder = JSONDecoder()
        let schema = try decoder.decode(Header.self, from: Data(content)).schemaVersion
        guard schema <= schemaVersion else { throw NewerVersion(schemaVersion: schema) }
        let versions = try decoder.decode(ProfileFile.self, from: Data(content)).versions
        guard (1...SettingsProfile.versionLimit).contains(versions.count) else {
            throw damaged("it has \(versions.count) versions")
        }
        let numbers = versions.map(\.version)
        guard zip(numbers, numbers.dropFirst()).allSatisfy(<), numbers[0] >= 1, numbers[numbers.count - 1] < Int32.max
        else { throw damaged("its versions do not ascend") }
        return try versions.map { try profile($0, of: name) }
    }

    private static func damaged(_ cause: String) -> DocumentError {
        DocumentError(.damaged, "read", "the profile", cause)
    }

    private static func profile(_ version: Version, of name: ProfileName) throws -> SettingsProfile {
        let cameras = try version.cameras.map {
            SettingsProfile.Camera(
                device: $0.device, make: $0.make, model: $0.model,
                settings: try CaptureSettings(parsing: $0.settings))
        }
        guard (1...SettingsProfile.cameraLimit).contains(cameras.count),
            Set(cameras.map(\.device)).count == cameras.count,
            cameras.allSatisfy({ !$0.settings.entries.isEmpty })
        else { throw damaged("version \(version.version) has no valid list of cameras") }
        guard let time = Int64(version.savedRealtimeNanoseconds) else {
            throw damaged("version \(version.version) has no valid time")
        }
        return SettingsProfile(
            name: name, version: version.version, realtimeNanoseconds: time, principal: version.principal,
            cameras: cameras)
    }
}
