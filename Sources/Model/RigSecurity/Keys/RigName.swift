public import CaptureModel

public enum RigSubject: NamedSubject {
    public static let subjectName = "rig"
}

/// The name of a rig, which people use to tell several rigs apart.
public typealias RigName = Name<RigSubject>
