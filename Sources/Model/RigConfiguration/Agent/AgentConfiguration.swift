public import CaptureModel

/// What one node is and has: the content of an agent's configuration file, which `docs/configuration.md` describes.
public struct AgentConfiguration: Hashable, Sendable {
    /// The node's name in the rig.
    public var node: NodeName
    /// The coordinator's control channel.
    public var coordinator: TCPEndpoint
    public var spool: Spool
    public var ring: Ring
    public var frames: Frames
    public var recovery: Recovery
    public var pressure: Pressure
    /// At least one, with different names.
    public var devices: [DeviceConfiguration]
    /// With names different from those of the devices.
    public var microphones: [MicrophoneConfiguration]

    /// Where captures wait until they are collected.
    public struct Spool: Hashable, Sendable {
        public var folder: String
        /// The most bytes that captures may take.
        public var limit: ByteCount
        /// Bytes of the file system that stay free for others.
        public var reserve: ByteCount

        public init(
            folder: String = "/var/lib/caprig/spool", limit: ByteCount = .mebibytes(2048),
            reserve: ByteCount = .mebibytes(256)
        ) {
            self.folder = folder
            self.limit = limit
            self.reserve = reserve
        }
    }

    /// The frames every camera keeps in memory, so that a shot can reach back.
    public struct Ring: Hashable, Sendable {
        /// How far back the frames reach, as long as the memory suffices.
        public var depth: Duration
        /// The most bytes of all rings of the node together.
        public var memory: ByteCount

        public init(depth: Duration = .seconds(3), memory: ByteCount = .mebibytes(512)) {
            self.depth = depth
            self.memory = memory
        }
    }

    /// How long a camera that fails is tried again.
    public struct Recovery: Hashable, Sendable {
        /// Failures in a row after which it is given up, until somebody has it tried again.
        public var failures: Int
        /// A camera that has run for so long has no failures behind it any more.
        public var goodPeriod: Duration

        public init(failures: Int = 10, goodPeriod: Duration = .seconds(10)) {
            self.failures = failures
            self.goodPeriod = goodPeriod
        }
    }

    public init(
        node: NodeName, coordinator: TCPEndpoint = TCPEndpoint(host: "127.0.0.1", port: 7710), spool: Spool = Spool(),
        ring: Ring = Ring(), frames: Frames = Frames(), recovery: Recovery = Recovery(),
        pressure: Pressure = Pressure(), devices: [DeviceConfiguration],
        microphones: [MicrophoneConfiguration] = []
    ) {
        self.node = node
        self.coordinator = coordinator
        self.spool = spool
        self.ring = ring
        self.frames = frames
        self.recovery = recovery
        self.pressure = pressure
        self.devices = devices
        self.microphones = microphones
    }
}
