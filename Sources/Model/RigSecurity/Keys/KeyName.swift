public import CaptureModel

public enum KeySubject: NamedSubject {
    public static let subjectName = "key"
}

/// The name of a key's holder, unique among the active keys of a rig. The name of a node's key is the node's name.
public typealias KeyName = Name<KeySubject>
