import RigConfiguration
import ScreenTiming

/// A screen before a virtual camera, instead of the moving scene: black or white as ``ScreenSequence`` says, by the
/// `CLOCK_MONOTONIC` of the camera's machine. This is rig time on the coordinator's machine only. Users of the camera do
/// not see these values. The names are the keys in YAML.
public struct VirtualScreen: Hashable, Encodable, Sendable {
    /// Of the sequence.
    public var seed: UInt64 = 1
    /// From the instant of a switch to its light.
    public var lagMilliseconds = 0.0
    /// From the exposure of the camera's first row to that of its last one. The stamps are those of the middle row.
    public var rowsMilliseconds = 0.0

    /// Creates a screen without lag before a camera without rolling shutter.
    public init() {}

    /// The keys it may have, in the order in which they are documented.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case seed, lagMilliseconds, rowsMilliseconds
    }

    var sequence: ScreenSequence { ScreenSequence(seed: seed) }
}

/// The limits of a screen.
enum ScreenLimits {
    static let lagMilliseconds = 0.0...1000.0
    static let rowsMilliseconds = -1000.0...1000.0
}

extension VirtualScreen: Decodable {
    /// Reads a screen. Missing keys keep their defaults.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try fields.read(&seed, .seed)
        try fields.read(&lagMilliseconds, .lagMilliseconds)
        try fields.read(&rowsMilliseconds, .rowsMilliseconds)
    }
}

extension VirtualScreen {
    /// The problems of its values; empty if it is valid.
    var problems: [VirtualConfigurationProblem] {
        VirtualConfigurationProblem.check("screen.lagMilliseconds", lagMilliseconds, ScreenLimits.lagMilliseconds)
            + VirtualConfigurationProblem.check(
                "screen.rowsMilliseconds", rowsMilliseconds, ScreenLimits.rowsMilliseconds)
    }

    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        self.init()
        seed = mapping.read("seed", .integer(0...UInt64.max), default: seed)
        lagMilliseconds = mapping.read(
            "lagMilliseconds", .number(ScreenLimits.lagMilliseconds), default: lagMilliseconds)
        rowsMilliseconds = mapping.read(
            "rowsMilliseconds", .number(ScreenLimits.rowsMilliseconds), default: rowsMilliseconds)
        mapping.finish()
    }

    var written: WrittenValue {
        .mapping { mapping in
            mapping.add("seed", plain: seed)
            mapping.add("lagMilliseconds", plain: lagMilliseconds)
            mapping.add("rowsMilliseconds", plain: rowsMilliseconds)
        }
    }
}
