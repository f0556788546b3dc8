public import CaptureModel
public import RigClient

/// The sessions of cameras after a command: `capctl session` and `capctl resume`.
public struct SessionsDocument: Encodable, Sendable {
    /// Devices that were selected and omitted, since their nodes do not configure them; absent if there are none.
    var notConfigured: [DeviceID]?
    var sessions: [SessionDocument]

    public init(_ sessions: [SessionDocument], leftOut: LeftOutDevices?) {
        notConfigured = leftOut?.devices
        self.sessions = sessions
    }
}

/// The session of one camera after a command; optional members are absent without a value.
public struct SessionDocument: Encodable, Sendable {
    var changes: [String]?
    var condition: DeviceConditionDocument?
    var device: DeviceID
    var problem: String?

    /// - Parameter device: The device that was named; after a switch, the one that has replaced it.
    public init(_ device: DeviceID, _ result: Result<SessionResult, RigClientError>) {
        self.device = device
        switch result {
        case .success(let session):
            condition = DeviceConditionDocument(session.condition)
            changes = session.changes.isEmpty ? nil : session.changes
        case .failure(let error):
            problem = error.description
        }
    }
}
