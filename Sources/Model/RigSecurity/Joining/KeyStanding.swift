/// What a coordinator says on its join channel of a key whose connections it refuses elsewhere.
public enum KeyStanding: Hashable, Sendable {
    /// The key is admitted. Only the channels of its role accept it.
    case admitted(KeyName, Role)
    /// The key is not admitted, with the coordinator's sentence that says why and what to do.
    case refused(String)
}
