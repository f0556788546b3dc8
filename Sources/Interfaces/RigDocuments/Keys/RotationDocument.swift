public import RigClient

/// The replacement of the coordinator's key: `capctl keys rotate`, and in `capctl keys list`.
public struct RotationDocument: Encodable, Sendable {
    var newKey: String
    var oldKey: String
    var oldKeyIsServed: Bool
    /// The holders that have not connected with the new key.
    var unconfirmed: [HolderDocument]

    /// - Parameter isEnded: Whether the old key is no longer served.
    public init(_ rotation: KeyRotation, isEnded: Bool) {
        newKey = "\(rotation.newKey)"
        oldKey = "\(rotation.oldKey)"
        oldKeyIsServed = !isEnded
        unconfirmed = rotation.unconfirmed.map(HolderDocument.init)
    }
}
