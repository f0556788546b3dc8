public import CaptureModel

/// The properties and devices of a node: the content of an agent's configuration file, which `docs/configuration.md` describes.
public struct AgentConfiguration: Hashable, Sendable {
    /// The node's name in the rig.
    public var node: NodeName
    /// The coordinator's control channel.
    public var coordinator: TCPEndpoint
    public var spool: Spool
    /// The folder of the node's keys; nil means `keys` in the spool.
    public var keysFolder: String?
    public var ring: Ring
    public var frames: Frames
    public var recovery: Recovery
    public var pressure: Pressure
    public var clock: ClockSettings
    /// Their names are unique.
    public var devices: [DeviceConfiguration]
    /// Their names differ from each other and from those of the devices.
    public var microphones: [MicrophoneConfiguration]

    /// The storage of captures until they are collected.
    public struct Spool: Hashable, Sendable {
        public var folder: String
        /// The most bytes of all captures.
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

    /// The frames that every camera keeps in memory, so that a shot can reach back.
    public struct Ring: Hashable, Sendable {
        /// How far back the frames reach, if the memory suffices.
        public var depth: Duration
        /// The most bytes of all rings of the node together.
        public var memory: ByteCount

        public init(depth: Duration = .seconds(3), memory: ByteCount = .mebibytes(512)) {
            self.depth = depth
            self.memory = memory
        }
    }

    /// The limits for retrying a camera that fails.
    public struct Recovery: Hashable, Sendable {
        /// Consecutive failures after which the camera is given up until a command resumes it.
        public var failures: Int
        /// How long a camera must run before its earlier failures are forgotten.
        public var goodPeriod: Duration

        public init(failures: Int = 10, goodPeriod: Duration = .seconds(10)) {
            self.failures = failures
            self.goodPeriod = goodPeriod
        }
    }

    public init(
        node: NodeName, coordinator: TCPEndpoint = TCPEndpoint(host: "127.0.0.1", port: 7710), spool: Spool = Spool(),
        ring: Ring = Ring(), frames: Frames = Frames(), recovery: Recovery = Recovery(),
        pressure: Pressure = Pressure(), clock: ClockSettings = ClockSettings(), devices: [DeviceConfiguration],
        microphones: [MicrophoneConfiguration] = []
    ) {
        self.node = node
        self.coordinator = coordinator
        self.spool = spool
        keysFolder = nil
        self.ring = ring
        self.frames = frames
        self.recovery = recovery
        self.pressure = pressure
        self.clock = clock
        self.devices = devices
        self.microphones = microphones
    }
}

extension AgentConfiguration {
    /// Parses the text of a configuration file.
    /// - Parameters:
    ///   - file: The name of the file, for the messages.
    ///   - folder: The folder to which relative paths refer; nil leaves them as they are.
    ///   - sources: The allowed kinds of a device's `source`. The backend that owns the key reads its value.
    /// - Throws: ``ConfigurationError`` with all problems, each with its line.
    public static func parse(
        text: String, file: String, folder: String? = nil, sources: SourceKinds
    ) throws(ConfigurationError) -> AgentConfiguration {
        try YAMLDocument.parse(text, file: file, folder: folder) { mapping in AgentConfiguration(mapping, sources) }
    }

    private init?(_ mapping: YAMLMapping, _ sources: SourceKinds) {
        let node: NodeName? = mapping.required("node")?.scalar(.name())
        let coordinator = mapping.read("coordinator", .endpoint, default: TCPEndpoint(host: "127.0.0.1", port: 7710))
        let spool = mapping.mapping("spool").map(Spool.init) ?? Spool()
        let ring = mapping.mapping("ring").map(Ring.init) ?? Ring()
        let frames = mapping.mapping("frames").map(Frames.init) ?? Frames()
        let recovery = mapping.mapping("recovery").map(Recovery.init) ?? Recovery()
        let pressure = mapping.mapping("pressure").map(Pressure.init) ?? Pressure()
        let clock = mapping.mapping("clock").map(ClockSettings.init) ?? ClockSettings()
        let microphones =
            mapping.value("microphones").map { MicrophoneConfiguration.list($0, sources.microphones) } ?? []
        let devices = mapping.required("devices").flatMap {
            DeviceConfiguration.list($0, sources.cameras, microphones)
        }
        guard let node, let devices else { return nil }
        self.init(
            node: node, coordinator: coordinator, spool: spool, ring: ring, frames: frames, recovery: recovery,
            pressure: pressure, clock: clock, devices: devices, microphones: microphones)
        if let keys = mapping.mapping("keys") {
            keysFolder = keys.value("folder")?.filePath()
            keys.finish()
        }
    }

    /// The folder of the node's keys, with the default applied.
    public var keys: String {
        keysFolder ?? (spool.folder.hasSuffix("/") ? spool.folder + "keys" : spool.folder + "/keys")
    }
}

extension AgentConfiguration.Spool {
    init(_ mapping: YAMLMapping) {
        self.init()
        let range = ByteCount(0)...ByteCount(1 << 60)
        folder = mapping.readPath("folder", default: folder)
        limit = mapping.read("limit", .byteCount(ByteCount(1024)...range.upperBound), default: limit)
        reserve = mapping.read("reserve", .byteCount(range), default: reserve)
        mapping.finish()
    }
}

extension AgentConfiguration.Ring {
    init(_ mapping: YAMLMapping) {
        self.init()
        depth = mapping.read("depth", .duration(.milliseconds(500) ... .seconds(60)), default: depth)
        memory = mapping.read("memory", .byteCount(.mebibytes(1) ... .mebibytes(1 << 20)), default: memory)
        mapping.finish()
    }
}

extension AgentConfiguration.Recovery {
    init(_ mapping: YAMLMapping) {
        self.init()
        failures = mapping.read("failures", .integer(0...1000), default: failures)
        goodPeriod = mapping.read("goodPeriod", .duration(.seconds(1) ... .seconds(3600)), default: goodPeriod)
        mapping.finish()
    }
}

extension AgentConfiguration {
    /// The response to an overloaded or hot machine.
    public struct Pressure: Hashable, Sendable {
        /// Whether the pressure is monitored.
        public var enabled: Bool
        public var thresholds: PressureThresholds

        public init(enabled: Bool = true, thresholds: PressureThresholds = PressureThresholds()) {
            self.enabled = enabled
            self.thresholds = thresholds
        }
    }
}

extension AgentConfiguration.Pressure {
    init(_ mapping: YAMLMapping) {
        self.init()
        enabled = mapping.read("enabled", .flag, default: enabled)
        thresholds.cpu = Self.steps(mapping.mapping("cpu"), default: thresholds.cpu)
        thresholds.memory = Self.steps(mapping.mapping("memory"), default: thresholds.memory)
        thresholds.io = Self.steps(mapping.mapping("io"), default: thresholds.io)
        thresholds.margin = mapping.read("margin", .number(0...50), default: thresholds.margin)
        thresholds.calm = mapping.read("calm", .duration(.seconds(1) ... .seconds(3600)), default: thresholds.calm)
        mapping.finish()
    }

    private static func steps(
        _ mapping: YAMLMapping?, default fallback: PressureThresholds.Steps
    ) -> PressureThresholds.Steps {
        guard let mapping else { return fallback }
        let percent = Scalar.number(0...PressureThresholds.never)
        let steps = PressureThresholds.Steps(
            fair: mapping.read("fair", percent, default: fallback.fair),
            serious: mapping.read("serious", percent, default: fallback.serious),
            critical: mapping.read("critical", percent, default: fallback.critical),
            shutdown: mapping.read("shutdown", percent, default: fallback.shutdown))
        mapping.finish()
        if !steps.isAscending { mapping.report(.badValue, "the levels do not ascend from fair to shutdown") }
        return steps
    }

    func write(_ mapping: inout MappingBuilder) {
        mapping.add("enabled", plain: enabled)
        mapping.add("cpu") { Self.write(thresholds.cpu, &$0) }
        mapping.add("memory") { Self.write(thresholds.memory, &$0) }
        mapping.add("io") { Self.write(thresholds.io, &$0) }
        mapping.add("margin", plain: thresholds.margin)
        mapping.add("calm", plain: thresholds.calm.configurationText)
    }

    private static func write(_ steps: PressureThresholds.Steps, _ mapping: inout MappingBuilder) {
        mapping.add("fair", plain: steps.fair)
        mapping.add("serious", plain: steps.serious)
        mapping.add("critical", plain: steps.critical)
        mapping.add("shutdown", plain: steps.shutdown)
    }
}
