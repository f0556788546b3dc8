public import CameraKit
public import CaptureModel
public import RigConfiguration

extension FileCameraConfiguration: CameraSource {
    public static let key = "file"

    /// The limits are those of the file camera itself, told here with their line. Whether the recording is there is not
    /// looked at.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let path = mapping.required("path")?.scalar(.absolutePath)
        self.init(path: path ?? "")
        framesPerSecond = mapping.read(
            "framesPerSecond", .number(FileCameraLimits.framesPerSecond), default: framesPerSecond)
        loop = mapping.read("loop", .flag, default: loop)
        phaseMilliseconds = mapping.read(
            "phaseMilliseconds", .number(FileCameraLimits.phaseMilliseconds), default: phaseMilliseconds)
        mapping.finish()
        guard path != nil else { return nil }
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("path", text: path)
            mapping.add("framesPerSecond", plain: framesPerSecond)
            mapping.add("loop", plain: loop)
            mapping.add("phaseMilliseconds", plain: phaseMilliseconds)
        }
    }

    /// Any number of cameras may play one recording.
    public var hardware: String? { nil }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        FileCamera(name: name.rawValue, configuration: self)
    }
}

extension DeviceSource {
    /// A camera that plays a recording.
    public static func file(_ configuration: FileCameraConfiguration) -> DeviceSource { DeviceSource(configuration) }
}
