public import CaptureModel

/// A profile of settings, or what cameras hold: `GET /settings/profiles/NAME`. Settings are in the text grammar of docs/settings.md.
public struct ProfileDocument: Encodable, Sendable {
    struct Camera: Encodable {
        var device: String
        /// The hardware whose values these are; absent if it does not say.
        var make: String?
        var model: String?
        var settings: String

        init(_ camera: SettingsProfile.Camera) {
            device = camera.device.description
            make = camera.make
            model = camera.model
            settings = camera.settings.description
        }
    }

    struct LeftOut: Encodable {
        var device: String
        var problem: RigProblem

        init(_ camera: HeldProfile.LeftOut) {
            device = camera.device.description
            problem = camera.problem
        }
    }

    var cameras: [Camera]
    /// Cameras that are not among them; absent for a saved profile.
    var leftOut: [LeftOut]?
    /// Absent, with the next two, for what cameras hold.
    var name: String?
    /// Who has saved it.
    var principal: String?
    /// RFC 3339.
    var saved: String?
    var version: Int?

    public init(_ profile: SettingsProfile) {
        cameras = profile.cameras.map(Camera.init)
        name = profile.name.description
        principal = profile.principal
        saved = RFC3339.text(realtimeNanoseconds: profile.realtimeNanoseconds)
        version = profile.version
    }

    public init(_ held: HeldProfile) {
        cameras = held.cameras.map(Camera.init)
        leftOut = held.leftOut.map(LeftOut.init)
    }
}

/// What has become of a request to save a profile: `capctl settings save`.
public struct SavedProfileDocument: Encodable, Sendable {
    /// The newest version that was removed for it, with those before it; absent if none was.
    var droppedVersion: Int?
    /// Whether a version was made; false if the newest one has the same settings.
    var isNew: Bool
    var leftOut: [ProfileDocument.LeftOut]
    var profile: ProfileDocument

    public init(_ saved: SavedProfile) {
        droppedVersion = saved.dropped
        isNew = saved.isNew
        leftOut = saved.leftOut.map(ProfileDocument.LeftOut.init)
        profile = ProfileDocument(saved.profile)
    }
}

/// The profiles of a rig: `capctl settings list`.
public struct ProfileListDocument: Encodable, Sendable {
    struct Profile: Encodable {
        var name: String
        /// Why it cannot be read; absent if it can.
        var problem: RigProblem?
        /// Oldest first.
        var versions: [Version]
    }

    struct Version: Encodable {
        var cameras: Int
        var principal: String
        /// RFC 3339.
        var saved: String
        var version: Int
    }

    var profiles: [Profile]

    public init(_ profiles: [ProfileSummary]) {
        self.profiles = profiles.map { profile in
            Profile(
                name: profile.name.description, problem: profile.problem,
                versions: profile.versions.map {
                    Version(
                        cameras: $0.cameraCount, principal: $0.principal,
                        saved: RFC3339.text(realtimeNanoseconds: $0.realtimeNanoseconds), version: $0.version)
                })
        }
    }
}

/// The differences of two profiles, or of a profile and what cameras hold: `capctl settings diff`.
public struct ProfileDiffDocument: Encodable, Sendable {
    struct Difference: Encodable {
        var device: String
        /// The value in the first profile; absent if it has none.
        var first: String?
        /// The name of a setting, `make` or `model`; absent if only one of the two has the camera.
        var name: String?
        /// The value in the second profile, or that the camera holds; absent if there is none.
        var second: String?
    }

    var differences: [Difference]
    /// `NAME@VERSION`.
    var first: String
    /// Cameras of which it is not known what they hold.
    var leftOut: [ProfileDocument.LeftOut]
    /// `NAME@VERSION`; absent for what cameras hold.
    var second: String?

    public init(first: String, second: String?, differences: [ProfileDifference], leftOut: [HeldProfile.LeftOut]) {
        self.first = first
        self.second = second
        self.differences = differences.map {
            Difference(device: $0.device.description, first: $0.first, name: $0.name, second: $0.second)
        }
        self.leftOut = leftOut.map(ProfileDocument.LeftOut.init)
    }
}

/// Past settings transactions, newest first: `capctl settings history`.
public struct SettingsHistoryDocument: Encodable, Sendable {
    struct Transaction: Encodable {
        var cameras: [Camera]
        var principal: String
        /// The profile that was loaded, `NAME@VERSION`; absent if none was.
        var profile: String?
        /// The id of the run that it is part of; absent for none.
        var run: String?
        var settingsId: String
        /// When the cameras were told: RFC 3339.
        var time: String
        /// The id of the transaction that was undone; absent if none was. Of a run, the newest one.
        var undoes: String?
        /// The id of the run that was undone; absent if none was.
        var undoesRun: String?
    }

    struct Camera: Encodable {
        var device: String
        /// Settings that give it the values that it had before; absent if they are not known.
        var earlier: String?
        /// Absent if it is not known, because the coordinator has ended before.
        var outcome: CameraSettingsOutcome.Word?
        var settings: String
    }

    var transactions: [Transaction]

    public init(_ transactions: [PastSettings]) {
        self.transactions = transactions.map { past in
            Transaction(
                cameras: past.cameras.map {
                    Camera(
                        device: $0.device.description, earlier: $0.earlier?.description, outcome: $0.outcome,
                        settings: $0.settings.description)
                },
                principal: past.principal, profile: past.profile?.description, run: past.run?.description,
                settingsId: past.id.description, time: RFC3339.text(realtimeNanoseconds: past.realtimeNanoseconds),
                undoes: past.undoes?.description, undoesRun: past.undoesRun?.description)
        }
    }
}
