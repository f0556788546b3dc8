/// What a configuration says of one device under the key of its backend.
///
/// Each backend defines its own, with the keys it takes; this module knows none of them.
public protocol SourceConfiguration: Hashable, Sendable {
    /// The key below `source`, which is the backend's name: `v4l2`.
    static var key: String { get }

    /// Reads what stands under the key; nil, and a problem, where it is wrong.
    ///
    /// A mapping's unknown keys are reported by ``YAMLMapping/finish()``.
    init?(_ value: YAMLValue)

    /// What stands under the key, such that it is read as an equal value.
    var written: WrittenValue { get }

    /// The hardware it means, in words that differ for different hardware; nil where many devices may have equal sources.
    ///
    /// Two enabled devices of a node may not mean the same.
    var hardware: String? { get }
}

/// Which hardware a camera or microphone is, in the words of its backend.
public struct DeviceSource: Hashable, Sendable {
    public let configuration: any SourceConfiguration

    public init(_ configuration: some SourceConfiguration) {
        self.configuration = configuration
    }

    /// The key of its backend.
    public var key: String { type(of: configuration).key }

    public static func == (left: Self, right: Self) -> Bool {
        AnyHashable(left.configuration) == AnyHashable(right.configuration)
    }

    public func hash(into hasher: inout Hasher) {
        configuration.hash(into: &hasher)
    }

    /// Whether both are the same hardware.
    func isSameHardware(as other: DeviceSource) -> Bool {
        guard let hardware = configuration.hardware else { return false }
        return other.key == key && other.configuration.hardware == hardware
    }
}

/// The sources that a configuration may name, in the order in which messages list them; the backends bring them.
public struct SourceKinds: Sendable {
    public var cameras: [any SourceConfiguration.Type]
    public var microphones: [any SourceConfiguration.Type]

    public init(cameras: [any SourceConfiguration.Type], microphones: [any SourceConfiguration.Type] = []) {
        self.cameras = cameras
        self.microphones = microphones
    }
}

extension DeviceSource {
    /// Reads the one key that stands in a `source`; nil, and a problem, where it is not one of these.
    init?(_ mapping: YAMLMapping, _ kinds: [any SourceConfiguration.Type]) {
        let found = kinds.compactMap { kind in mapping.value(kind.key).map { (kind, $0) } }
        mapping.finish()
        guard let (kind, value) = found.first, found.count == 1 else {
            mapping.report(.badValue, "needs exactly one of \(Self.list(kinds.map { "'\($0.key)'" }))")
            return nil
        }
        guard let configuration = kind.init(value) else { return nil }
        self.init(configuration)
    }

    private static func list(_ words: [String]) -> String {
        let rest = words.dropLast().joined(separator: ", ")
        return rest.isEmpty ? words.joined() : "\(rest) and \(words.last ?? "")"
    }

    func write(_ mapping: inout MappingBuilder) {
        mapping.add(key, configuration.written)
    }
}
