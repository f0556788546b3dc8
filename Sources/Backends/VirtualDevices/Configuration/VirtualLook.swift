import Glibc
import RigConfiguration

/// How a virtual camera differs from others of its model that look at the same target: its sensitivity, its color, its
/// tone curve, its lens, and the light. Users of the camera do not see these values. The names are the keys in YAML.
///
/// A camera with a look shows still targets instead of the moving scene, with light as a sensor collects it, and its
/// automatic modes need time.
public struct VirtualLook: Hashable, Encodable, Sendable {
    /// How much more light the camera collects than the nominal one.
    public var gainDecibels = 0.0
    /// Factor on red; green has none.
    public var red = 1.0
    /// Factor on blue.
    public var blue = 1.0
    /// Exponent on the light before it is encoded as sRGB does.
    public var toneExponent = 1.0
    /// The share of the light that the corners of the picture lose.
    public var vignetting = 0.0
    /// How often per second the light gets brighter and darker, around its mean.
    public var flickerHertz = 100.0
    /// How much brighter and darker, as a share of the mean.
    public var flickerDepth = 0.0
    /// Number of frames in which an automatic mode comes about two thirds nearer to its goal; 0: it is there at once.
    public var adaptationFrames = 0
    /// The target before the camera when it is created; the control `test_pattern` changes it.
    public var target = Target.card

    /// Creates the look of a nominal camera.
    public init() {}

    /// What is before the camera.
    public enum Target: String, Hashable, Codable, Sendable, CaseIterable {
        /// A gray card of 18 % in the middle, before a background that is gray on average.
        case card
        /// Six patches of other colors.
        case patches
    }

    /// The keys it may have, in the order in which they are documented.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case gainDecibels, red, blue, toneExponent, vignetting, flickerHertz, flickerDepth, adaptationFrames, target
    }
}

/// The limits of a look.
enum LookLimits {
    static let gainDecibels = -24.0...24.0
    static let factor = 0.25...4.0
    static let toneExponent = 0.25...4.0
    static let share = 0.0...1.0
    static let flickerHertz = 0.1...1000.0
    static let adaptationFrames = 0...1000
}

extension VirtualLook: Decodable {
    /// Reads a look. Missing keys keep their defaults.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try fields.read(&gainDecibels, .gainDecibels)
        try fields.read(&red, .red)
        try fields.read(&blue, .blue)
        try fields.read(&toneExponent, .toneExponent)
        try fields.read(&vignetting, .vignetting)
        try fields.read(&flickerHertz, .flickerHertz)
        try fields.read(&flickerDepth, .flickerDepth)
        try fields.read(&adaptationFrames, .adaptationFrames)
        try fields.read(&target, .target)
    }
}

extension VirtualLook {
    /// The problems of its values; empty if it is valid.
    var problems: [VirtualConfigurationProblem] {
        func check<Value: Comparable>(
            _ key: CodingKeys, _ value: Value, _ range: ClosedRange<Value>
        ) -> [VirtualConfigurationProblem] {
            VirtualConfigurationProblem.check("look.\(key.rawValue)", value, range)
        }
        return check(.gainDecibels, gainDecibels, LookLimits.gainDecibels) + check(.red, red, LookLimits.factor)
            + check(.blue, blue, LookLimits.factor) + check(.toneExponent, toneExponent, LookLimits.toneExponent)
            + check(.vignetting, vignetting, LookLimits.share)
            + check(.flickerHertz, flickerHertz, LookLimits.flickerHertz)
            + check(.flickerDepth, flickerDepth, LookLimits.share)
            + check(.adaptationFrames, adaptationFrames, LookLimits.adaptationFrames)
    }

    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        self.init()
        gainDecibels = mapping.read("gainDecibels", .number(LookLimits.gainDecibels), default: gainDecibels)
        red = mapping.read("red", .number(LookLimits.factor), default: red)
        blue = mapping.read("blue", .number(LookLimits.factor), default: blue)
        toneExponent = mapping.read("toneExponent", .number(LookLimits.toneExponent), default: toneExponent)
        vignetting = mapping.read("vignetting", .number(LookLimits.share), default: vignetting)
        flickerHertz = mapping.read("flickerHertz", .number(LookLimits.flickerHertz), default: flickerHertz)
        flickerDepth = mapping.read("flickerDepth", .number(LookLimits.share), default: flickerDepth)
        adaptationFrames = mapping.read(
            "adaptationFrames", .integer(LookLimits.adaptationFrames), default: adaptationFrames)
        target = mapping.read("target", .oneOf(Target.self), default: target)
        mapping.finish()
    }

    var written: WrittenValue {
        .mapping { mapping in
            mapping.add("gainDecibels", plain: gainDecibels)
            mapping.add("red", plain: red)
            mapping.add("blue", plain: blue)
            mapping.add("toneExponent", plain: toneExponent)
            mapping.add("vignetting", plain: vignetting)
            mapping.add("flickerHertz", plain: flickerHertz)
            mapping.add("flickerDepth", plain: flickerDepth)
            mapping.add("adaptationFrames", plain: adaptationFrames)
            mapping.add("target", plain: target.rawValue)
        }
    }
}
