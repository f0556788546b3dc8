/// How a device's session stands after a command.
public struct SessionResult: Hashable, Sendable {
    /// The device that is the session's input: after a switch, the one that took the place.
    public var device: DeviceID
    public var condition: DeviceCondition
    /// What a command changed of the outputs' options or cut off, a sentence each.
    public var changes: [String]

    public init(device: DeviceID, condition: DeviceCondition, changes: [String] = []) {
        self.device = device
        self.condition = condition
        self.changes = changes
    }
}
