/// What a device, or a node's spool, is to do.
public enum DeviceCommand: Hashable, Sendable {
    case startSession
    /// - Parameter force: Whether a recording is cut off; else a device that records is not stopped.
    case stopSession(force: Bool)
    case resumeSession
    /// Replaces the device, which is the input of its session, by another one of the same node.
    case switchInput(to: DeviceName)
    case describe
    /// Sets controls by name, all or none; at least one.
    case setControls([String: Int64])
    /// Changes how pictures are to be shown; nil leaves a property as it is.
    case setConnection(orientation: Orientation?, isMirrored: Bool?)
    /// Of a node: lists its spool after a capture, or from the oldest.
    /// - Parameter isDamaged: Lists the captures that were moved aside instead of those that wait.
    case listSpool(after: CaptureKey?, isDamaged: Bool)
    /// Of a node: removes captures from its spool for good.
    case discardCaptures([CaptureKey], isDamaged: Bool)
}

/// What a device or a node answers to a command that it carried out.
public enum DeviceReply: Hashable, Sendable {
    /// To a command about the session or its connection.
    case session(SessionResult)
    case details(DeviceDetails)
    /// The values of the controls that were set, read back.
    case controls([String: Int64])
    case spool(SpoolListing)
    /// The captures that were there and are gone.
    case discarded([SpooledCapture])
}
