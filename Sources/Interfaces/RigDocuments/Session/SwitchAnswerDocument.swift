public import CaptureModel

/// Whether a camera can replace the input of a session: `capctl session switch --check`.
public struct SwitchAnswerDocument: Encodable, Sendable {
    var device: DeviceID
    var isAllowed: Bool
    /// Absent if nothing objects.
    var objection: Objection?
    var replacement: DeviceName

    struct Objection: Encodable {
        var problem: RigProblem
        var reason: SwitchObjection.Reason
    }

    /// - Parameter device: The camera that would be replaced.
    public init(_ device: DeviceID, to replacement: DeviceName, _ objection: SwitchObjection?) {
        self.device = device
        self.replacement = replacement
        isAllowed = objection == nil
        self.objection = objection.map { Objection(problem: $0.problem, reason: $0.reason) }
    }
}
