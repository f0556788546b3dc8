public import CaptureModel
public import RigProtocol
import SwiftProtobuf

extension ProfileReference {
    public init(wire: WireProfileReference) throws(WireError) {
        let reader = FieldReader("ProfileReference")
        let version = Int(try reader.number(wire.version, "version", in: 0...Int64(Int32.max)))
        self.init(try reader.profileName(wire.name), version: version == 0 ? nil : version)
    }

    public var wire: WireProfileReference {
        .with {
            $0.name = "\(name)"
            $0.version = UInt32(clamping: version ?? 0)
        }
    }
}

extension SettingsProfile.Camera {
    init(wire: WireProfileCamera) throws(WireError) {
        let reader = FieldReader("ProfileCamera")
        self.init(
            device: try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            make: reader.hardware(wire.make), model: reader.hardware(wire.model),
            settings: try reader.settings(wire.settings))
    }

    var wire: WireProfileCamera {
        .with {
            $0.device = device.wire
            $0.make = make ?? ""
            $0.model = model ?? ""
            $0.settings = "\(settings)"
        }
    }
}

extension HeldProfile.LeftOut {
    init(wire: WireLeftOutCamera) throws(WireError) {
        let reader = FieldReader("LeftOutCamera")
        self.init(
            device: try DeviceID(wire: try reader.present(wire.hasDevice ? wire.device : nil, "device")),
            problem: RigProblem(wire: try reader.present(wire.hasProblem ? wire.problem : nil, "problem")))
    }

    var wire: WireLeftOutCamera {
        .with {
            $0.device = device.wire
            $0.problem = problem.wire
        }
    }
}

extension SettingsProfile {
    public init(wire: WireSettingsProfile) throws(WireError) {
        let reader = FieldReader("SettingsProfile")
        let reference = try ProfileReference(
            wire: try reader.present(wire.hasProfile ? wire.profile : nil, "profile"))
        self.init(
            name: reference.name, version: try reader.present(reference.version, "profile.version"),
            realtimeNanoseconds: wire.realtimeNs, principal: wire.principal.sentence(limit: WireLimits.reasonByteCount),
            cameras: try reader.profileCameras(wire))
    }

    public var wire: WireSettingsProfile {
        .with {
            $0.profile = reference.wire
            $0.realtimeNs = realtimeNanoseconds
            $0.principal = principal
            $0.cameras = cameras.map(\.wire)
        }
    }
}

extension HeldProfile {
    public init(wire: WireSettingsProfile) throws(WireError) {
        let reader = FieldReader("SettingsProfile")
        self.init(cameras: try reader.profileCameras(wire), leftOut: try reader.leftOut(wire))
    }

    public var wire: WireSettingsProfile {
        .with {
            $0.cameras = cameras.map(\.wire)
            $0.leftOut = leftOut.prefix(WireLimits.devicesPerRequest).map(\.wire)
        }
    }
}

extension SavedProfile {
    public init(wire: WireSavedProfile) throws(WireError) {
        let reader = FieldReader("SavedProfile")
        let profile = try reader.present(wire.hasProfile ? wire.profile : nil, "profile")
        let dropped = Int(try reader.number(wire.droppedVersion, "dropped_version", in: 0...Int64(Int32.max)))
        self.init(
            profile: try SettingsProfile(wire: profile), isNew: !wire.unchanged, dropped: dropped == 0 ? nil : dropped,
            leftOut: try reader.leftOut(profile))
    }

    public var wire: WireSavedProfile {
        .with {
            $0.profile = profile.wire
            $0.profile.leftOut = leftOut.prefix(WireLimits.devicesPerRequest).map(\.wire)
            $0.unchanged = !isNew
            $0.droppedVersion = UInt32(clamping: dropped ?? 0)
        }
    }
}

extension ProfileSummary {
    public init(wire: WireProfileSummary) throws(WireError) {
        let reader = FieldReader("ProfileSummary")
        let versions = try reader.list(wire.versions, "versions", limit: SettingsProfile.versionLimit)
        self.init(
            name: try reader.profileName(wire.name),
            versions: try versions.map { (version) throws(WireError) in try Version(wire: version) },
            problem: wire.hasProblem ? RigProblem(wire: wire.problem) : nil)
    }

    public var wire: WireProfileSummary {
        .with {
            $0.name = "\(name)"
            $0.versions = versions.map(\.wire)
            if let problem { $0.problem = problem.wire }
        }
    }

    /// Returns the profiles of a list.
    public static func list(wire: WireProfileList) throws(WireError) -> [ProfileSummary] {
        try FieldReader("ProfileList").list(wire.profiles, "profiles", limit: SettingsProfile.limit)
            .map { (profile) throws(WireError) in try ProfileSummary(wire: profile) }
    }
}

extension ProfileSummary.Version {
    fileprivate init(wire: WireProfileVersion) throws(WireError) {
        let reader = FieldReader("ProfileVersion")
        self.init(
            version: Int(try reader.number(wire.version, "version", in: 1...Int64(Int32.max))),
            realtimeNanoseconds: wire.realtimeNs, principal: wire.principal.sentence(limit: WireLimits.reasonByteCount),
            cameraCount: Int(wire.cameraCount))
    }

    fileprivate var wire: WireProfileVersion {
        .with {
            $0.version = UInt32(clamping: version)
            $0.realtimeNs = realtimeNanoseconds
            $0.principal = principal
            $0.cameraCount = UInt32(clamping: cameraCount)
        }
    }
}

extension FieldReader {
    fileprivate func profileCameras(_ wire: WireSettingsProfile) throws(WireError) -> [SettingsProfile.Camera] {
        try list(wire.cameras, "cameras", limit: SettingsProfile.cameraLimit)
            .map { (camera) throws(WireError) in try SettingsProfile.Camera(wire: camera) }
    }

    fileprivate func leftOut(_ wire: WireSettingsProfile) throws(WireError) -> [HeldProfile.LeftOut] {
        try list(wire.leftOut, "left_out", limit: WireLimits.devicesPerRequest)
            .map { (camera) throws(WireError) in try HeldProfile.LeftOut(wire: camera) }
    }
}
