/// The reply of a device or a node to a command that it executed.
public enum DeviceReply: Hashable, Sendable {
    /// Reply to a command about the session or its connection.
    case session(SessionResult)
    /// Why the input would not be switched; nil if nothing objects.
    case canSwitchInput(SwitchObjection?)
    case details(DeviceDetails)
    case measured(PictureMeasurement)
    /// The delays are durable, in a file at the node's machine.
    case delaysKept(file: String)
    /// The values of the controls that were set, read back.
    case controls([String: Int64])
    case settings(SettingsStepResult)
    case held(HeldSettings)
    case spool(SpoolListing)
    /// The captures that were present and have been removed.
    case discarded([SpooledCapture])
}
