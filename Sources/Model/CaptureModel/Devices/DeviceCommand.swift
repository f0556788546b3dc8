/// A command for a device, or for a node's spool.
public enum DeviceCommand: Hashable, Sendable {
    case startSession
    /// - Parameter force: Whether to cut off a recording. Otherwise, a device that records is not stopped.
    case stopSession(force: Bool)
    case resumeSession
    /// Replaces the device as the input of its session by another one of the same node.
    case switchInput(to: DeviceName)
    /// Asks why ``switchInput(to:)`` would be refused at present. Changes nothing.
    case canSwitchInput(to: DeviceName)
    case describe
    /// Measures a part of the pictures of a camera that streams.
    case measure(MeasureRequest)
    /// Keeps how late controls of a camera act; at least one, each once.
    case keepDelays([ControlDelay])
    /// Opens a camera again with this correction of its stamps, and keeps it.
    case keepStamps(StampCorrection)
    /// Sets controls by name, all or none; at least one.
    case setControls([String: Int64])
    /// Asks what a camera is to hold.
    case heldSettings
    /// A step of a settings transaction. Only the coordinator requests it.
    case settings(SettingsID, SettingsStep)
    /// Changes how pictures are shown; nil leaves a property as it is.
    case setConnection(orientation: Orientation?, isMirrored: Bool?)
    /// Aligns a camera's exposures with the rig's time; nil: lets them run free again.
    case align(AlignmentRequest?)
    /// For a node: lists its spool after a capture, or from the oldest.
    /// - Parameter isDamaged: Whether to list the captures that were moved aside instead of those that wait.
    case listSpool(after: CaptureKey?, isDamaged: Bool)
    /// For a node: removes captures from its spool permanently.
    case discardCaptures([CaptureKey], isDamaged: Bool)
}

/// Frames that a session had or should have had and that an output did not deliver, by cause.
public struct OutputDrops: Hashable, Codable, Sendable {
    /// Numbers missing in the driver's sequence: frames lost by the driver or the node, or incomplete.
    public var beforeOutput: UInt64 = 0
    /// A newer frame arrived before the consumer read this one.
    public var superseded: UInt64 = 0
    /// The picture could not be decoded for scaling.
    public var undecodable: UInt64 = 0
    /// The picture is larger than its channel allows.
    public var oversized: UInt64 = 0

    public init() {}

    /// The sum of all causes.
    public var total: UInt64 { beforeOutput &+ superseded &+ undecodable &+ oversized }

    public mutating func add(_ other: OutputDrops) {
        beforeOutput &+= other.beforeOutput
        superseded &+= other.superseded
        undecodable &+= other.undecodable
        oversized &+= other.oversized
    }
}
