/// The id of a shot, created by the client, so that a repeated request cannot fire twice. Sorting ids sorts shots by the
/// time of their requests.
public struct ShotID: TimeOrderedID {
    public let uuid: TimeOrderedUUID

    public init(_ uuid: TimeOrderedUUID) { self.uuid = uuid }
}
