/// The id of a run: settings transactions of one client that are undone as one, such as those with which cameras are matched. Created by the
/// client.
public struct SettingsRunID: TimeOrderedID {
    public let uuid: TimeOrderedUUID

    public init(_ uuid: TimeOrderedUUID) { self.uuid = uuid }
}
