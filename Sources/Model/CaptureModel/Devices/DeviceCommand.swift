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
    /// Sets controls by name, all or none; at least one.
    case setControls([String: Int64])
    /// Asks what a camera is to hold.
    case heldSettings
    /// A step of a settings transaction. Only the coordinator requests it.
    case settings(SettingsID, SettingsStep)
    /// Changes how pictures are shown; nil leaves a property as it is.
    case setConnection(orientation: Orientation?, isMirrored: Bool?)
    /// For a node: lists its spool after a capture, or from the oldest.
    /// - Parameter isDamaged: Whether to list the captures that were moved aside instead of those that wait.
    case listSpool(after: CaptureKey?, isDamaged: Bool)
    /// For a node: removes captures from its spool permanently.
    case discardCaptures([CaptureKey], isDamaged: Bool)
}

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

/// A request about one device, or about a node.
public struct DeviceRequest: Hashable, Sendable {
    /// The timeout if the request does not give one.
    public static let defaultTimeout = Duration.seconds(10)

    /// The device or node that a request is about.
    public enum Subject: Hashable, Sendable, CustomStringConvertible {
        case device(DeviceID)
        case node(NodeName)

        public var description: String {
            switch self {
            case .device(let device): device.description
            case .node(let node): node.description
            }
        }
    }

    public let subject: Subject
    public let timeout: Duration
    /// nil if this version does not know the command. The node refuses it.
    public let command: DeviceCommand?
    /// The id that repeats of the request share; nil if each of them is executed.
    public let id: UInt64?

    /// - Parameter id: Chosen at random, so that it differs from those of other clients; not 0.
    public init(
        _ subject: Subject, timeout: Duration = defaultTimeout, command: DeviceCommand?, id: UInt64? = nil
    ) {
        self.subject = subject
        self.timeout = timeout
        self.command = command
        self.id = id
    }

    public init(
        device: DeviceID, timeout: Duration = defaultTimeout, command: DeviceCommand?, id: UInt64? = nil
    ) {
        self.init(.device(device), timeout: timeout, command: command, id: id)
    }

    /// The node that executes it.
    public var node: NodeName {
        switch subject {
        case .device(let device): device.node
        case .node(let node): node
        }
    }
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
