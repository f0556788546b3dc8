public import CameraKit
public import CaptureModel
public import RigConfiguration

/// The properties and the behavior of a virtual camera. Every field has a default; the names are the keys in YAML.
public struct VirtualCameraConfiguration: Hashable, Encodable, Sendable {
    /// Number of the camera in its rig. It is drawn into the time code, and selects the color of the scene.
    public var number: UInt16 = 1
    /// Width in pixels, unless the format request names another.
    public var width = 1280
    /// Height in pixels, unless the format request names another.
    public var height = 720
    /// Nominal frame rate, unless the format request names another.
    public var framesPerSecond = 30.0
    /// The rate at which it exposes, whatever its format states, as a camera that makes its frames longer in dim light;
    /// nil: at the rate of its format.
    public var actualFramesPerSecond: Double?
    /// An additional stream, ``StreamName/preview``: the same exposures in another size; nil for a camera without one.
    public var preview: VirtualPreview?
    /// JPEG quality of the frames, 1 to 100.
    public var quality = 85
    /// Seed of everything random (texture, jitter, random faults); mixed with `number`.
    public var seed: UInt64 = 1

    /// The phase of the exposures: frame `k` is exposed around `phase + k · interval` of this machine's
    /// `CLOCK_MONOTONIC`.
    public var phaseMilliseconds = 0.0
    /// What moves the phase, as far as the camera says.
    public var phaseControl = VirtualPhaseControl.exact
    /// Largest deviation of a mid-exposure from its place, uniformly distributed; at most 45 % of the frame interval.
    public var jitterMilliseconds = 0.0
    /// Relative error of the frame interval, in parts per million; positive is too long, negative too short.
    public var driftPPM = 0.0
    /// Exposure time. Never longer than the frame interval; the scene gets brighter with it.
    public var exposureMilliseconds = 8.0
    /// Gain of the picture. The time code stays black and white.
    public var gainDecibels = 0.0
    /// Time from the end of an exposure to the delivery of its frame, like readout and USB transfer.
    public var readoutMilliseconds = 4.0
    /// The error bound that the camera reports for its stamps. They are exact, so any bound is true.
    public var stampBoundMilliseconds = 0.1
    /// How much later than mid-exposure the stamps are, like those of a camera whose latency is not known: the camera then
    /// claims what the configuration of its device says, or a frame interval. nil: the stamps are exact.
    public var stampDelayMilliseconds: Double?
    /// Time from `start` to the first exposure.
    public var startDelayMilliseconds = 0.0

    /// For EXIF.
    public var make = "Caprig"
    /// For EXIF.
    public var model = "Virtual camera"
    /// For EXIF; nil derives one from `number`.
    public var serial: String?

    /// What the controls do as those of real cameras.
    public var controls = VirtualControlBehavior()
    /// How the camera differs from others that look at the same target; nil: it shows the moving scene.
    public var look: VirtualLook?
    /// A screen that it looks at instead of the moving scene; it has no effect with a look.
    public var screen: VirtualScreen?
    /// A file to which the camera appends what it really did, for tests that judge what is said of its pictures; see
    /// ``VirtualTruth``. An absolute path; nil for none.
    public var truth: String?
    /// The faults, and when they occur.
    public var faults: [VirtualFault] = []

    /// Creates a camera without faults: 1280 × 720, 30 fps, number 1.
    public init() {}

    /// The keys a configuration may have, in the order in which they are documented.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case number, width, height, framesPerSecond, actualFramesPerSecond, preview, quality, seed
        case phaseMilliseconds, phaseControl, jitterMilliseconds, driftPPM, exposureMilliseconds, gainDecibels
        case readoutMilliseconds, stampBoundMilliseconds, stampDelayMilliseconds, startDelayMilliseconds
        case make, model, serial, controls, look, screen, truth, faults
    }
}

/// What moves the phase of a virtual camera's exposures.
public enum VirtualPhaseControl: String, Hashable, Codable, Sendable, CaseIterable {
    /// A control, by any number of nanoseconds.
    case exact
    /// Each start, to a random phase.
    case restart
    /// Nothing.
    case none
}

/// The second stream of a virtual camera. Its rate and quality are those of the camera.
public struct VirtualPreview: Hashable, Codable, Sendable {
    /// Pixels, unless the format request names another width.
    public var width: Int
    /// Pixels, unless the format request names another height.
    public var height: Int

    public init(width: Int = 320, height: Int = 180) {
        self.width = width
        self.height = height
    }
}

extension StreamName {
    /// The second stream of a virtual camera.
    public static let preview = StreamName(rawValue: "preview")
}

extension VirtualCameraConfiguration {
    /// The streams, the main one first.
    var streams: [StreamName] { preview == nil ? [.main] : [.main, .preview] }

    /// Returns the width and height of a stream if the format request names no others; nil if there is no such stream.
    func size(of stream: StreamName) -> (width: Int, height: Int)? {
        switch stream {
        case .main: (width, height)
        case .preview: preview.map { ($0.width, $0.height) }
        default: nil
        }
    }
}

extension AgentConfiguration {
    /// Returns a node with virtual cameras, which needs no hardware: the agent's default, and the basis of a demo.
    ///
    /// The cameras run free, each with a separate phase, like real ones.
    /// - Parameters:
    ///   - cameras: Number of cameras, named `cam0` and so on; clamped to 1 to 128.
    ///   - firstNumber: The number that the first camera draws into its time code; unique in the rig for every camera.
    ///   - spoolFolder: nil for the default.
    public static func virtualRig(
        node: NodeName, cameras: Int, firstNumber: UInt16 = 1, width: Int = 1280, height: Int = 720,
        framesPerSecond: Double = 30, coordinator: TCPEndpoint = TCPEndpoint(host: "127.0.0.1", port: 7710),
        spoolFolder: String? = nil
    ) -> AgentConfiguration {
        let devices = (0..<min(max(cameras, 1), DeviceConfiguration.maximumCount)).compactMap { index in
            var source = VirtualCameraConfiguration()
            source.number = firstNumber &+ UInt16(index)
            (source.width, source.height, source.framesPerSecond) = (width, height, framesPerSecond)
            source.phaseMilliseconds = phase(of: source.number, framesPerSecond)
            return device(index, source)
        }
        let spool = spoolFolder.map { Spool(folder: $0) } ?? Spool()
        return AgentConfiguration(node: node, coordinator: coordinator, spool: spool, devices: devices)
    }

    /// Returns a phase that is spread over the frame interval in steps that avoid those of other cameras; whole
    /// microseconds, for readability.
    private static func phase(of number: UInt16, _ framesPerSecond: Double) -> Double {
        let share = Double(Int(number) * 37 % 100) / 100
        return (share * 1_000_000 / framesPerSecond).rounded() / 1000
    }

    private static func device(_ index: Int, _ source: VirtualCameraConfiguration) -> DeviceConfiguration? {
        guard let name = try? DeviceName("cam\(index)") else { return nil }
        return DeviceConfiguration(
            name: name, type: .wide, position: Position(rawValue: "v\(source.number)"), labels: ["virtual"],
            purpose: "Virtual camera \(source.number), to try the rig without hardware", source: .virtual(source))
    }
}

extension VirtualCameraConfiguration: Decodable {
    /// Reads a configuration. Missing keys keep their defaults.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        try fields.read(&number, .number)
        try fields.read(&width, .width)
        try fields.read(&height, .height)
        try fields.read(&framesPerSecond, .framesPerSecond)
        actualFramesPerSecond = try fields.decodeIfPresent(Double.self, forKey: .actualFramesPerSecond)
        preview = try fields.decodeIfPresent(VirtualPreview.self, forKey: .preview)
        try fields.read(&quality, .quality)
        try fields.read(&seed, .seed)
        try fields.read(&phaseMilliseconds, .phaseMilliseconds)
        try fields.read(&phaseControl, .phaseControl)
        try fields.read(&jitterMilliseconds, .jitterMilliseconds)
        try fields.read(&driftPPM, .driftPPM)
        try fields.read(&exposureMilliseconds, .exposureMilliseconds)
        try fields.read(&gainDecibels, .gainDecibels)
        try fields.read(&readoutMilliseconds, .readoutMilliseconds)
        try fields.read(&stampBoundMilliseconds, .stampBoundMilliseconds)
        stampDelayMilliseconds = try fields.decodeIfPresent(Double.self, forKey: .stampDelayMilliseconds)
        try fields.read(&startDelayMilliseconds, .startDelayMilliseconds)
        try fields.read(&make, .make)
        try fields.read(&model, .model)
        serial = try fields.decodeIfPresent(String.self, forKey: .serial)
        try fields.read(&controls, .controls)
        look = try fields.decodeIfPresent(VirtualLook.self, forKey: .look)
        screen = try fields.decodeIfPresent(VirtualScreen.self, forKey: .screen)
        truth = try fields.decodeIfPresent(String.self, forKey: .truth)
        try fields.read(&faults, .faults)
    }
}

extension KeyedDecodingContainer {
    /// Replaces `value` if the container has the key.
    func read<Value: Decodable>(_ value: inout Value, _ key: Key) throws {
        value = try decodeIfPresent(Value.self, forKey: key) ?? value
    }
}

extension VirtualCameraConfiguration {
    /// All reasons why a camera with this configuration would not start; empty if it is valid.
    public var problems: [VirtualConfigurationProblem] {
        var problems: [VirtualConfigurationProblem] = []
        func check<Value: Comparable>(_ key: CodingKeys, _ value: Value, _ range: ClosedRange<Value>) {
            problems += VirtualConfigurationProblem.check(key.rawValue, value, range)
        }
        check(.width, width, VirtualLimits.width)
        check(.height, height, VirtualLimits.height)
        check(.framesPerSecond, framesPerSecond, VirtualLimits.framesPerSecond)
        if let actualFramesPerSecond {
            check(.actualFramesPerSecond, actualFramesPerSecond, VirtualLimits.framesPerSecond)
        }
        if let preview {
            problems += VirtualConfigurationProblem.check("preview.width", preview.width, VirtualLimits.width)
            problems += VirtualConfigurationProblem.check("preview.height", preview.height, VirtualLimits.height)
        }
        check(.quality, quality, 1...100)
        check(.phaseMilliseconds, phaseMilliseconds, -3_600_000...3_600_000)
        if VirtualLimits.framesPerSecond.contains(framesPerSecond) {
            check(.jitterMilliseconds, jitterMilliseconds, 0...(VirtualLimits.jitterShare * 1000 / framesPerSecond))
        }
        check(.driftPPM, driftPPM, -10_000...10_000)
        check(.exposureMilliseconds, exposureMilliseconds, 0.01...10_000)
        check(.gainDecibels, gainDecibels, -48...48)
        check(.readoutMilliseconds, readoutMilliseconds, 0...10_000)
        check(.stampBoundMilliseconds, stampBoundMilliseconds, 0...10_000)
        if let stampDelayMilliseconds {
            check(.stampDelayMilliseconds, stampDelayMilliseconds, VirtualLimits.stampDelayMilliseconds)
        }
        check(.startDelayMilliseconds, startDelayMilliseconds, 0...600_000)
        problems += controls.problems.map { .init(key: "controls.\($0.key)", reason: $0.reason) }
        problems += look?.problems ?? []
        problems += screen?.problems ?? []
        return problems + VirtualConfigurationProblem.check(faults)
    }
}

/// The limits of a virtual camera.
public enum VirtualLimits {
    public static let width = 144...16384
    public static let height = 88...16384
    public static let framesPerSecond = 0.01...1000.0
    /// Share of the frame interval; less than one half, so that frames never change order.
    public static let jitterShare = 0.45
    /// Of `delayFrames` and of `delayJitterFrames`.
    public static let delayFrames = 0...60
    public static let focusFrames = 0...600
    public static let stampDelayMilliseconds = 0.0...1000.0
    /// Number of refusals of one camera.
    public static let refusals = 64
}
