public import CameraKit
public import CaptureModel
public import RigConfiguration

/// Which V4L2 camera is meant, and by which clock its frames are stamped. The names are the keys in YAML.
public struct V4L2CameraConfiguration: Hashable, Sendable {
    public var identity: V4L2Identity
    /// Whether the frames of a USB camera are stamped by its clock, as far as ``UVCClock`` trusts it, and not by the driver.
    public var cameraClock: Bool

    public init(_ identity: V4L2Identity, cameraClock: Bool = false) {
        self.identity = identity
        self.cameraClock = cameraClock
    }
}

/// `v4l2: { serial: …, cameraClock: true }`: exactly one of `path`, `bus` and `serial`.
extension V4L2CameraConfiguration: CameraSource {
    public static let key = "v4l2"

    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let cameraClock = mapping.read("cameraClock", .flag, default: false)
        guard let identity = V4L2Identity(restOf: mapping) else { return nil }
        self.init(identity, cameraClock: cameraClock)
    }

    public var written: WrittenValue {
        .mapping { mapping in
            identity.write(to: &mapping)
            // As earlier versions know it.
            if cameraClock { mapping.add("cameraClock", plain: cameraClock) }
        }
    }

    public var hardware: String? { identity.description }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        V4L2Camera(name: name.rawValue, identity: identity, correction: stamps, cameraClock: cameraClock)
    }
}

extension DeviceSource {
    /// Creates the source of a V4L2 camera.
    public static func v4l2(_ identity: V4L2Identity, cameraClock: Bool = false) -> DeviceSource {
        DeviceSource(V4L2CameraConfiguration(identity, cameraClock: cameraClock))
    }
}
