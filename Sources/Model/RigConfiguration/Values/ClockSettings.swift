/// What a daemon believes of its machine's clock: `clock` of its configuration.
public struct ClockSettings: Hashable, Sendable {
    /// Whether what PTP and NTP say of the clock narrows the bound of rig time. Off by default: nothing proves it, see
    /// `docs/design/time.md`.
    public var discipline: Bool

    public init(discipline: Bool = false) {
        self.discipline = discipline
    }
}

extension ClockSettings {
    init(_ mapping: YAMLMapping) {
        self.init()
        discipline = mapping.read("discipline", .flag, default: discipline)
        mapping.finish()
    }

    func write(_ mapping: inout MappingBuilder) {
        mapping.add("discipline", plain: discipline)
    }
}
