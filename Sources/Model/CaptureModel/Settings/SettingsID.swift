/// The id of a settings transaction, created by the client, so that a repeated request is carried out once. It is the
/// revision of a camera's settings from the transaction on.
public struct SettingsID: TimeOrderedID {
    public let uuid: TimeOrderedUUID

    public init(_ uuid: TimeOrderedUUID) { self.uuid = uuid }
}
