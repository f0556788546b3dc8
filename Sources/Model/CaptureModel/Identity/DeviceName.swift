public enum DeviceSubject: NamedSubject {
    public static let subjectName = "device"
}

/// The name of a camera or microphone on its node.
public typealias DeviceName = Name<DeviceSubject>
