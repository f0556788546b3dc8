public import CaptureModel

extension AgentConfiguration {
    /// What is said and done when the machine is overloaded or hot.
    public struct Pressure: Hashable, Sendable {
        /// Whether it is watched at all.
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
