public import CameraKit
public import CaptureModel
public import RigConfiguration

extension VirtualMicrophoneConfiguration: MicrophoneSource {
    public static let key = VirtualCameraConfiguration.key

    /// The limits are those of the virtual microphone itself, told here with their line.
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

    /// Any number of microphones may be alike.
    public var hardware: String? { nil }

    /// Its stamps need no correction.
    public func makeMicrophone(name: DeviceName, latencyOffset: Duration) -> any Microphone {
        VirtualMicrophone(name: name.rawValue, configuration: self)
    }
}

extension DeviceSource {
    /// A virtual microphone.
    public static func virtual(_ configuration: VirtualMicrophoneConfiguration) -> DeviceSource {
        DeviceSource(configuration)
    }
}
