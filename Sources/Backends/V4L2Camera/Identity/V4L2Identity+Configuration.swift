public import CameraKit
public import CaptureModel
public import RigConfiguration

/// `v4l2: { serial: … }`: exactly one of `path`, `bus` and `serial`.
extension V4L2Identity: CameraSource {
    public static let key = "v4l2"

    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let path = mapping.value("path")
        let bus = mapping.value("bus")
        let serial = mapping.value("serial")
        mapping.finish()
        switch (path, bus, serial) {
        case (let value?, nil, nil):
            guard let text = value.scalar(.absolutePath) else { return nil }
            self = .path(text)
        case (nil, let value?, nil):
            guard let text = value.scalar(.text(limit: 128)) else { return nil }
            self = .busInformation(text)
        case (nil, nil, let value?):
            guard let text = value.scalar(.text(limit: 128)) else { return nil }
            self = .serial(text)
        default:
            mapping.report(.badValue, "needs exactly one of 'path', 'bus' and 'serial'")
            return nil
        }
    }

    public var written: WrittenValue {
        .mapping { mapping in
            switch self {
            case .path(let path): mapping.add("path", text: path)
            case .busInformation(let bus): mapping.add("bus", text: bus)
            case .serial(let serial): mapping.add("serial", text: serial)
            }
        }
    }

    public var hardware: String? { description }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        let calibration = StampCalibration(
            latencyOffset: stamps.latencyOffset, readout: stamps.readout, uncertainty: stamps.uncertainty)
        return V4L2Camera(name: name.rawValue, identity: self, calibration: calibration)
    }
}

extension DeviceSource {
    /// A camera of V4L2.
    public static func v4l2(_ identity: V4L2Identity) -> DeviceSource { DeviceSource(identity) }
}
