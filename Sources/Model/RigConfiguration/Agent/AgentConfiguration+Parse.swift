import CaptureModel

extension AgentConfiguration {
    /// The configuration in a file's text.
    /// - Parameters:
    ///   - file: The name of the file, for the messages.
    ///   - sources: What a device's `source` may be; its text is read by the backend whose key stands there.
    /// - Throws: ``ConfigurationError`` with everything that is wrong, each with its line.
    public static func parse(
        text: String, file: String, sources: SourceKinds
    ) throws(ConfigurationError) -> AgentConfiguration {
        try YAMLDocument.parse(text, file: file) { mapping in AgentConfiguration(mapping, sources) }
    }

    private init?(_ mapping: YAMLMapping, _ sources: SourceKinds) {
        let node: NodeName? = mapping.required("node")?.scalar(.name())
        let coordinator = mapping.read("coordinator", .endpoint, default: TCPEndpoint(host: "127.0.0.1", port: 7710))
        let spool = mapping.mapping("spool").map(Spool.init) ?? Spool()
        let ring = mapping.mapping("ring").map(Ring.init) ?? Ring()
        let frames = mapping.mapping("frames").map(Frames.init) ?? Frames()
        let recovery = mapping.mapping("recovery").map(Recovery.init) ?? Recovery()
        let pressure = mapping.mapping("pressure").map(Pressure.init) ?? Pressure()
        let microphones =
            mapping.value("microphones").map { MicrophoneConfiguration.list($0, sources.microphones) } ?? []
        let devices = mapping.required("devices").flatMap {
            DeviceConfiguration.list($0, sources.cameras, microphones)
        }
        guard let node, let devices else { return nil }
        self.init(
            node: node, coordinator: coordinator, spool: spool, ring: ring, frames: frames, recovery: recovery,
            pressure: pressure, devices: devices, microphones: microphones)
    }
}

extension AgentConfiguration.Spool {
    init(_ mapping: YAMLMapping) {
        self.init()
        let range = ByteCount(0)...ByteCount(1 << 60)
        folder = mapping.read("folder", .path, default: folder)
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
