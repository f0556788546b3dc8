public import CameraKit
public import CaptureModel
public import RigConfiguration

/// The properties and the behavior of a virtual microphone. Every field has a default; the names are the keys in YAML.
public struct VirtualMicrophoneConfiguration: Hashable, Sendable {
    /// Number of the microphone in its rig. It distinguishes its ambient noise from that of others.
    public var number: UInt16 = 1
    /// Nominal frames per second, unless the format request names another rate.
    public var sampleRate = 48_000
    /// Channels, all with the same sound, unless the format request names another number.
    public var channels = 1
    /// Duration of each buffer.
    public var periodMilliseconds = 20.0
    /// Seed of everything random (noise, jitter, random faults); mixed with `number`.
    public var seed: UInt64 = 1
    /// Relative error of the sample interval, in parts per million; positive is too long, negative too short.
    public var driftPPM = 0.0
    /// Largest deviation of a stamp from the truth, uniformly distributed, like in real stamps.
    public var stampJitterMilliseconds = 0.0
    /// The error bound that the microphone reports for its stamps. It is true if it is not less than the jitter.
    public var stampBoundMilliseconds = 0.1
    /// Time from a buffer's last sample to its delivery.
    public var deliveryMilliseconds = 2.0
    /// Time from `start` to the first sample.
    public var startDelayMilliseconds = 0.0
    /// The faults, and when they occur; `dropped` affects a buffer like an overrun. ``faultKinds`` are supported.
    public var faults: [VirtualFault] = []

    /// Creates a microphone without faults: 48 kHz, one channel.
    public init() {}

    /// The faults that a microphone supports.
    public static let faultKinds: Set<VirtualFault.Kind> = [
        .dropped, .stalled, .slowStart, .unplugged, .busy, .denied,
    ]

    /// The keys a configuration may have, in the order in which they are documented.
    public enum CodingKeys: String, CodingKey, CaseIterable, Sendable {
        case number, sampleRate, channels, periodMilliseconds, seed, driftPPM, stampJitterMilliseconds
        case stampBoundMilliseconds, deliveryMilliseconds, startDelayMilliseconds, faults
    }
}

extension VirtualCameraConfiguration: CameraSource {
    public static let key = "virtual"

    /// Reads the configuration. The limits are those of the virtual camera itself, reported here with their line.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        self.init()
        number = mapping.read("number", .integer(0...UInt16.max), default: number)
        width = mapping.read("width", .integer(144...16_384), default: width)
        height = mapping.read("height", .integer(88...16_384), default: height)
        framesPerSecond = mapping.read("framesPerSecond", .number(0.01...1000), default: framesPerSecond)
        actualFramesPerSecond = mapping.value("actualFramesPerSecond")?.scalar(.number(0.01...1000))
        preview = mapping.value("preview").flatMap { VirtualPreview($0) }
        quality = mapping.read("quality", .integer(1...100), default: quality)
        seed = mapping.read("seed", .integer(0...UInt64.max), default: seed)
        phaseControl = mapping.read("phaseControl", .oneOf(VirtualPhaseControl.self), default: phaseControl)
        readTimes(mapping)
        make = mapping.read("make", .text(limit: 128), default: make)
        model = mapping.read("model", .text(limit: 128), default: model)
        serial = mapping.value("serial")?.scalar(.text(limit: 128))
        controls = mapping.value("controls").flatMap { VirtualControlBehavior($0) } ?? controls
        look = mapping.value("look").flatMap { VirtualLook($0) }
        screen = mapping.value("screen").flatMap { VirtualScreen($0) }
        truth = mapping.value("truth")?.filePath()
        faults = mapping.value("faults")?.list(limit: 64)?.compactMap { VirtualFault($0) } ?? []
        mapping.finish()
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("number", plain: number)
            mapping.add("width", plain: width)
            mapping.add("height", plain: height)
            mapping.add("framesPerSecond", plain: framesPerSecond)
            mapping.add("actualFramesPerSecond", plainIfPresent: actualFramesPerSecond)
            if let preview { mapping.add("preview", preview.written) }
            mapping.add("quality", plain: quality)
            mapping.add("seed", plain: seed)
            mapping.add("phaseMilliseconds", plain: phaseMilliseconds)
            if phaseControl != .exact { mapping.add("phaseControl", plain: phaseControl.rawValue) }
            mapping.add("jitterMilliseconds", plain: jitterMilliseconds)
            mapping.add("driftPPM", plain: driftPPM)
            mapping.add("exposureMilliseconds", plain: exposureMilliseconds)
            mapping.add("gainDecibels", plain: gainDecibels)
            mapping.add("readoutMilliseconds", plain: readoutMilliseconds)
            mapping.add("stampBoundMilliseconds", plain: stampBoundMilliseconds)
            mapping.add("stampDelayMilliseconds", plainIfPresent: stampDelayMilliseconds)
            mapping.add("startDelayMilliseconds", plain: startDelayMilliseconds)
            mapping.add("make", text: make)
            mapping.add("model", text: model)
            mapping.add("serial", text: serial)
            if controls != VirtualControlBehavior() { mapping.add("controls", controls.written) }
            if let look { mapping.add("look", look.written) }
            if let screen { mapping.add("screen", screen.written) }
            if let truth { mapping.add("truth", text: truth) }
            if !faults.isEmpty { mapping.add("faults", list: faults.map(\.written)) }
        }
    }

    /// Any number of cameras may be equal.
    public var hardware: String? { nil }

    /// Exact stamps need no correction, so it has an effect only on those of a camera that stamps late.
    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        VirtualCamera(name: name.rawValue, configuration: self, stamps: stamps)
    }

    private mutating func readTimes(_ mapping: YAMLMapping) {
        func read(_ key: String, _ range: ClosedRange<Double>, _ value: inout Double) {
            value = mapping.read(key, .number(range), default: value)
        }
        read("phaseMilliseconds", -3_600_000...3_600_000, &phaseMilliseconds)
        // With more than 45 % of the interval, frames could change order.
        read("jitterMilliseconds", 0...(450 / framesPerSecond), &jitterMilliseconds)
        read("driftPPM", -10_000...10_000, &driftPPM)
        read("exposureMilliseconds", 0.01...10_000, &exposureMilliseconds)
        read("gainDecibels", -48...48, &gainDecibels)
        read("readoutMilliseconds", 0...10_000, &readoutMilliseconds)
        read("stampBoundMilliseconds", 0...10_000, &stampBoundMilliseconds)
        stampDelayMilliseconds = mapping.value("stampDelayMilliseconds")?
            .scalar(.number(VirtualLimits.stampDelayMilliseconds))
        read("startDelayMilliseconds", 0...600_000, &startDelayMilliseconds)
    }
}

extension VirtualPreview {
    init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        self.init()
        width = mapping.read("width", .integer(VirtualLimits.width), default: width)
        height = mapping.read("height", .integer(VirtualLimits.height), default: height)
        mapping.finish()
    }

    fileprivate var written: WrittenValue {
        .mapping { mapping in
            mapping.add("width", plain: width)
            mapping.add("height", plain: height)
        }
    }
}

extension DeviceSource {
    /// Creates the source of a virtual camera.
    public static func virtual(_ configuration: VirtualCameraConfiguration) -> DeviceSource {
        DeviceSource(configuration)
    }
}

extension VirtualMicrophoneConfiguration {
    /// All reasons why a microphone with this configuration would not start; empty if it is valid.
    public var problems: [VirtualConfigurationProblem] {
        var problems: [VirtualConfigurationProblem] = []
        func check<Value: Comparable>(_ key: CodingKeys, _ value: Value, _ range: ClosedRange<Value>) {
            problems += VirtualConfigurationProblem.check(key.rawValue, value, range)
        }
        check(.sampleRate, sampleRate, AudioFormat.sampleRates)
        check(.channels, channels, AudioFormat.channelCounts)
        check(.periodMilliseconds, periodMilliseconds, VirtualMicrophoneLimits.periodMilliseconds)
        check(.driftPPM, driftPPM, -10_000...10_000)
        check(.stampJitterMilliseconds, stampJitterMilliseconds, VirtualMicrophoneLimits.stampJitterMilliseconds)
        check(.stampBoundMilliseconds, stampBoundMilliseconds, 0...10_000)
        check(.deliveryMilliseconds, deliveryMilliseconds, 0...10_000)
        check(.startDelayMilliseconds, startDelayMilliseconds, 0...600_000)
        return problems
            + VirtualConfigurationProblem.check(faults) { fault in
                guard Self.faultKinds.contains(fault.kind) else {
                    let reason = "a microphone has no fault '\(fault.kind.rawValue)'"
                    return [VirtualConfigurationProblem(key: "kind", reason: reason)]
                }
                guard fault.fromSet != nil else { return [] }
                return [VirtualConfigurationProblem(key: "fromSet", reason: "a microphone has no controls")]
            }
    }
}

/// The limits of a virtual microphone, in addition to those of ``AudioFormat``.
public enum VirtualMicrophoneLimits {
    public static let periodMilliseconds = 1.0...1000.0
    public static let stampJitterMilliseconds = 0.0...100.0
}

extension VirtualMicrophoneConfiguration: MicrophoneSource {
    public static let key = VirtualCameraConfiguration.key

    /// Reads the configuration. The limits are those of the virtual microphone itself, reported here with their line.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        self.init()
        number = mapping.read("number", .integer(0...UInt16.max), default: number)
        sampleRate = mapping.read("sampleRate", .integer(AudioFormat.sampleRates), default: sampleRate)
        channels = mapping.read("channels", .integer(AudioFormat.channelCounts), default: channels)
        seed = mapping.read("seed", .integer(0...UInt64.max), default: seed)
        readTimes(mapping)
        faults = mapping.value("faults")?.list(limit: 64)?.compactMap(Self.fault) ?? []
        mapping.finish()
    }

    private mutating func readTimes(_ mapping: YAMLMapping) {
        func read(_ key: String, _ range: ClosedRange<Double>, _ value: inout Double) {
            value = mapping.read(key, .number(range), default: value)
        }
        read("periodMilliseconds", VirtualMicrophoneLimits.periodMilliseconds, &periodMilliseconds)
        read("driftPPM", -10_000...10_000, &driftPPM)
        read("stampJitterMilliseconds", VirtualMicrophoneLimits.stampJitterMilliseconds, &stampJitterMilliseconds)
        read("stampBoundMilliseconds", 0...10_000, &stampBoundMilliseconds)
        read("deliveryMilliseconds", 0...10_000, &deliveryMilliseconds)
        read("startDelayMilliseconds", 0...600_000, &startDelayMilliseconds)
    }

    private static func fault(_ value: YAMLValue) -> VirtualFault? {
        guard let fault = VirtualFault(value) else { return nil }
        if !faultKinds.contains(fault.kind) {
            let kinds = faultKinds.map(\.rawValue).sorted().joined(separator: ", ")
            value.report(.badValue, "a microphone has no fault '\(fault.kind.rawValue)'; it has \(kinds)")
        }
        if fault.fromSet != nil { value.report(.badValue, "a microphone has no controls, and so no 'fromSet'") }
        return fault
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("number", plain: number)
            mapping.add("sampleRate", plain: sampleRate)
            mapping.add("channels", plain: channels)
            mapping.add("periodMilliseconds", plain: periodMilliseconds)
            mapping.add("seed", plain: seed)
            mapping.add("driftPPM", plain: driftPPM)
            mapping.add("stampJitterMilliseconds", plain: stampJitterMilliseconds)
            mapping.add("stampBoundMilliseconds", plain: stampBoundMilliseconds)
            mapping.add("deliveryMilliseconds", plain: deliveryMilliseconds)
            mapping.add("startDelayMilliseconds", plain: startDelayMilliseconds)
            if !faults.isEmpty { mapping.add("faults", list: faults.map(\.written)) }
        }
    }

    /// Any number of microphones may be equal.
    public var hardware: String? { nil }

    /// Its stamps need no correction.
    public func makeMicrophone(name: DeviceName, latencyOffset: Duration) -> any Microphone {
        VirtualMicrophone(name: name.rawValue, configuration: self)
    }
}

extension DeviceSource {
    /// Creates the source of a virtual microphone.
    public static func virtual(_ configuration: VirtualMicrophoneConfiguration) -> DeviceSource {
        DeviceSource(configuration)
    }
}
