/// The name of a profile: 1 to 64 of the letters, digits, `.`, `_` and `-` of ASCII, of which the first is a letter or digit.
public struct ProfileName: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let description: String

    /// What a name must be, for errors.
    public static let rule = "1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-', the first a letter or digit"

    /// Returns nil if no profile can have this name.
    public init?(_ text: String) {
        let isSpelled = text.utf8.allSatisfy { Self.isAlphanumeric($0) || ".-_".utf8.contains($0) }
        guard isSpelled, (1...64).contains(text.utf8.count), text.utf8.first.map(Self.isAlphanumeric) == true else {
            return nil
        }
        description = text
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    public static func < (first: ProfileName, second: ProfileName) -> Bool { first.description < second.description }
}

/// Settings of cameras under a name. It never changes; saving again makes another version.
public struct SettingsProfile: Hashable, Sendable {
    /// The settings of one camera.
    public struct Camera: Hashable, Sendable {
        public var device: DeviceID
        /// The hardware whose values these are; nil if it does not say.
        public var make: String?
        public var model: String?
        public var settings: CaptureSettings

        public init(device: DeviceID, make: String?, model: String?, settings: CaptureSettings) {
            self.device = device
            self.make = make
            self.model = model
            self.settings = settings
        }
    }

    public var name: ProfileName
    /// From 1.
    public var version: Int
    /// On the coordinator's wall clock, nanoseconds since 1970.
    public var realtimeNanoseconds: Int64
    /// Who has saved it.
    public var principal: String
    /// In the order of their ids, each once; at least one.
    public var cameras: [Camera]

    /// The most profiles of a rig. A further one is refused.
    public static let limit = 64
    /// The most versions of a profile. A further one takes the place of the oldest.
    public static let versionLimit = 16
    public static let cameraLimit = 256

    public init(
        name: ProfileName, version: Int, realtimeNanoseconds: Int64, principal: String, cameras: [Camera]
    ) {
        self.name = name
        self.version = version
        self.realtimeNanoseconds = realtimeNanoseconds
        self.principal = principal
        self.cameras = cameras
    }

    public var reference: ProfileReference { ProfileReference(name, version: version) }
}

/// A profile without its settings.
public struct ProfileSummary: Hashable, Sendable {
    public struct Version: Hashable, Sendable {
        public var version: Int
        public var realtimeNanoseconds: Int64
        public var principal: String
        public var cameraCount: Int

        public init(version: Int, realtimeNanoseconds: Int64, principal: String, cameraCount: Int) {
            self.version = version
            self.realtimeNanoseconds = realtimeNanoseconds
            self.principal = principal
            self.cameraCount = cameraCount
        }
    }

    public var name: ProfileName
    /// Oldest first; empty if the profile cannot be read.
    public var versions: [Version]
    /// Why it cannot be read.
    public var problem: RigProblem?

    public init(name: ProfileName, versions: [Version], problem: RigProblem? = nil) {
        self.name = name
        self.versions = versions
        self.problem = problem
    }

    /// - Parameter profiles: Its versions, oldest first.
    public init(_ name: ProfileName, _ profiles: [SettingsProfile]) {
        self.init(
            name: name,
            versions: profiles.map {
                Version(
                    version: $0.version, realtimeNanoseconds: $0.realtimeNanoseconds, principal: $0.principal,
                    cameraCount: $0.cameras.count)
            })
    }
}

/// The settings that cameras are asked to hold now, and those that are not known.
public struct HeldProfile: Hashable, Sendable {
    /// A camera that is left out.
    public struct LeftOut: Hashable, Sendable {
        public var device: DeviceID
        public var problem: RigProblem

        public init(device: DeviceID, problem: RigProblem) {
            self.device = device
            self.problem = problem
        }
    }

    public var cameras: [SettingsProfile.Camera]
    public var leftOut: [LeftOut]

    public init(cameras: [SettingsProfile.Camera], leftOut: [LeftOut] = []) {
        self.cameras = cameras
        self.leftOut = leftOut
    }
}

/// What has become of a request to save a profile.
public struct SavedProfile: Hashable, Sendable {
    public var profile: SettingsProfile
    /// false if the newest version has the same settings already, so that no further one was made.
    public var isNew: Bool
    /// The oldest version that was removed for it; nil if there was place.
    public var dropped: Int?
    /// Selected cameras that the profile does not have.
    public var leftOut: [HeldProfile.LeftOut]

    public init(
        profile: SettingsProfile, isNew: Bool, dropped: Int? = nil, leftOut: [HeldProfile.LeftOut] = []
    ) {
        self.profile = profile
        self.isNew = isNew
        self.dropped = dropped
        self.leftOut = leftOut
    }
}
