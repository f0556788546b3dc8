public import CameraKit
public import CaptureModel
public import RigConfiguration

extension VirtualCameraConfiguration: CameraSource {
    public static let key = "virtual"

    /// The limits are those of the virtual camera itself, told here with their line.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        self.init()
        number = mapping.read("number", .integer(0...UInt16.max), default: number)
        width = mapping.read("width", .integer(144...16_384), default: width)
        height = mapping.read("height", .integer(88...16_384), default: height)
        framesPerSecond = mapping.read("framesPerSecond", .number(0.01...1000), default: framesPerSecond)
        preview = mapping.value("preview").flatMap { VirtualPreview($0) }
        quality = mapping.read("quality", .integer(1...100), default: quality)
        seed = mapping.read("seed", .integer(0...UInt64.max), default: seed)
        readTimes(mapping)
        make = mapping.read("make", .text(limit: 128), default: make)
        model = mapping.read("model", .text(limit: 128), default: model)
        serial = mapping.value("serial")?.scalar(.text(limit: 128))
        faults = mapping.value("faults")?.list(limit: 64)?.compactMap { VirtualFault($0) } ?? []
        mapping.finish()
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("number", plain: number)
            mapping.add("width", plain: width)
            mapping.add("height", plain: height)
            mapping.add("framesPerSecond", plain: framesPerSecond)
            if let preview { mapping.add("preview", preview.written) }
            mapping.add("quality", plain: quality)
            mapping.add("seed", plain: seed)
            mapping.add("phaseMilliseconds", plain: phaseMilliseconds)
            mapping.add("jitterMilliseconds", plain: jitterMilliseconds)
            mapping.add("driftPPM", plain: driftPPM)
            mapping.add("exposureMilliseconds", plain: exposureMilliseconds)
            mapping.add("gainDecibels", plain: gainDecibels)
            mapping.add("readoutMilliseconds", plain: readoutMilliseconds)
            mapping.add("stampBoundMilliseconds", plain: stampBoundMilliseconds)
            mapping.add("startDelayMilliseconds", plain: startDelayMilliseconds)
            mapping.add("make", text: make)
            mapping.add("model", text: model)
            mapping.add("serial", text: serial)
            if !faults.isEmpty { mapping.add("faults", list: faults.map(\.written)) }
        }
    }

    /// Any number of cameras may be alike.
    public var hardware: String? { nil }

    /// Its stamps are exact and need no correction.
    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        VirtualCamera(name: name.rawValue, configuration: self)
    }

    private mutating func readTimes(_ mapping: YAMLMapping) {
        func read(_ key: String, _ range: ClosedRange<Double>, _ value: inout Double) {
            value = mapping.read(key, .number(range), default: value)
        }
        read("phaseMilliseconds", -3_600_000...3_600_000, &phaseMilliseconds)
        // Farther than 45 % of the interval, frames could change places.
        read("jitterMilliseconds", 0...(450 / framesPerSecond), &jitterMilliseconds)
        read("driftPPM", -10_000...10_000, &driftPPM)
        read("exposureMilliseconds", 0.01...10_000, &exposureMilliseconds)
        read("gainDecibels", -48...48, &gainDecibels)
        read("readoutMilliseconds", 0...10_000, &readoutMilliseconds)
        read("stampBoundMilliseconds", 0...10_000, &stampBoundMilliseconds)
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
    /// A virtual camera.
    public static func virtual(_ configuration: VirtualCameraConfiguration) -> DeviceSource {
        DeviceSource(configuration)
    }
}
