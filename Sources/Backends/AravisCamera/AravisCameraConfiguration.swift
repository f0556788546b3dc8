public import CameraKit
public import CaptureModel
import ProgramCamera
public import RigConfiguration

/// Which camera Aravis is to drive, and how. The names are the keys in YAML.
public struct AravisCameraConfiguration: Hashable, Sendable {
    /// When the camera exposes.
    public enum Exposure: String, Hashable, Sendable, CaseIterable {
        /// All the time, at its rate.
        case free
        /// At T, by a scheduled action command. Needs a clock that node and camera follow by PTP.
        case scheduled

        /// The frames per second that a camera is set to if nothing states a rate. Without a stated lead, the coordinator leaves two intervals
        /// to a camera, in which one that exposes at T is told of it.
        var usualFramesPerSecond: Double {
            switch self {
            case .free: 30
            case .scheduled: 4
            }
        }
    }

    /// The serial number that the camera tells. nil if the address names the camera.
    public var serial: String?
    /// The IP address or the name of a GigE Vision camera. nil if the serial number names the camera.
    public var address: String?
    /// The frames per second that the camera is set to if the device's `format` states no rate.
    public var framesPerSecond = Exposure.free.usualFramesPerSecond
    public var exposure = Exposure.free
    /// The longest time from the start to the first frame, or until a camera that exposes at T is ready.
    public var startMilliseconds = 20_000.0
    /// The bytes of a packet of GigE Vision, with its headers; nil to have it measured.
    public var packetSize: Int?
    /// Whether lost packets are asked for again.
    public var resend = true
    /// Further GenICam features that are controls, such as `Gamma`.
    public var controls: [String] = []
    /// The GenICam features that the camera is set to when it is opened, in this order.
    public var settings: [OpeningSetting] = []
    /// The program that drives it, looked for in `PATH` if its name has no slash.
    public var helper = defaultHelper

    static let defaultHelper = "caprig-aravis"

    public init(serial: String? = nil, address: String? = nil) {
        self.serial = serial
        self.address = address
    }

    /// The limits of what a configuration may say.
    public enum Limits {
        public static let startMilliseconds = 100.0...600_000.0
        public static let packetSize = 576...16_384
        public static let controls = 32
        public static let nameByteCount = 64
        public static let textByteCount = 256
    }

    /// The camera for people: `serial 123` or its address.
    var identity: String { serial.map { "serial \($0)" } ?? address ?? "" }

    var program: CameraProgram {
        var arrival = ArrivalConfiguration(framesPerSecond: framesPerSecond)
        arrival.startMilliseconds = startMilliseconds
        var program = CameraProgram(
            command, writing: .raw, arrival, identity: "aravis \(identity)",
            connection: "aravis:\(serial ?? address ?? "")", installing: Self.installing,
            formatRemedy: "`framesPerSecond` of its source")
        program.tellsTimes = true
        program.toldStamps = .cameraClock
        program.takesControls = true
        program.takesFormat = true
        program.memory = Self.memory
        return program
    }

    func camera(named name: String, stamps: StampCorrection = StampCorrection()) -> ProgramCamera {
        switch exposure {
        case .free: ProgramCamera(name: name, program: program, stamps: stamps)
        case .scheduled:
            ProgramCamera(name: name, program: program, stamps: stamps) { context in ActionSchedule(context) }
        }
    }

    private var command: [String] {
        var words = [helper]
        if let serial { words += ["--serial", serial] }
        if let address { words += ["--address", address] }
        if let packetSize { words += ["--packet-size", "\(packetSize)"] }
        if !resend { words.append("--no-resend") }
        if exposure == .scheduled { words += ["--action-keys", ActionCommand.Keys.own.text] }
        for name in controls { words += ["--control", name] }
        for setting in settings { words += ["--set", "\(setting.name)=\(setting.value)"] }
        return words
    }

    /// The bytes of the helper's memory: Aravis, and its buffers.
    private static let memory: UInt64 = 4 << 30

    static let installing =
        "build caprig-aravis from the sources with `deploy/aravis/build`, which needs Debian's libaravis-dev, and put it into the agent's PATH"
}

extension AravisCameraConfiguration: CameraSource {
    public static let key = "aravis"

    /// Reads the configuration. The camera is not asked.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let text = Scalar<String>.text(limit: Limits.textByteCount)
        var read = AravisCameraConfiguration(
            serial: mapping.value("serial")?.scalar(text), address: mapping.value("address")?.scalar(text))
        read.exposure = mapping.read("exposure", .oneOf(Exposure.self), default: read.exposure)
        read.framesPerSecond = mapping.read(
            "framesPerSecond", .number(ArrivalConfiguration.Limits.framesPerSecond),
            default: read.exposure.usualFramesPerSecond)
        read.startMilliseconds = mapping.read(
            "startMilliseconds", .number(Limits.startMilliseconds), default: read.startMilliseconds)
        read.packetSize = mapping.value("packetSize")?.scalar(.integer(Limits.packetSize))
        read.resend = mapping.read("resend", .flag, default: read.resend)
        read.controls = (mapping.value("controls")?.list(limit: Limits.controls) ?? []).compactMap(Self.feature)
        read.settings = OpeningSetting.read(
            from: mapping, named: \.isFeatureName,
            otherwise: "is not a GenICam feature; `arv-tool-0.8 features` lists those of a camera")
        read.helper = mapping.read("helper", text, default: read.helper)
        mapping.finish()
        guard (read.serial == nil) != (read.address == nil) else {
            mapping.report(
                .missingKey, "must name the camera by exactly one of `serial`, its serial number, and `address`")
            return nil
        }
        self = read
    }

    /// Reads the name of a feature.
    private static func feature(_ value: YAMLValue) -> String? {
        guard let name = value.scalar(Scalar<String>.text(limit: Limits.nameByteCount)) else { return nil }
        guard name.isFeatureName else {
            value.report(.badValue, "is not the name of a GenICam feature, such as Gamma")
            return nil
        }
        return name
    }

    public var written: WrittenValue {
        .mapping { mapping in
            mapping.add("serial", text: serial)
            mapping.add("address", text: address)
            mapping.add("framesPerSecond", plain: framesPerSecond)
            mapping.add("exposure", plain: exposure.rawValue)
            mapping.add("startMilliseconds", plain: startMilliseconds)
            mapping.add("packetSize", plainIfPresent: packetSize)
            mapping.add("resend", plain: resend)
            mapping.add("controls", texts: controls)
            settings.write(to: &mapping)
            if helper != Self.defaultHelper { mapping.add("helper", text: helper) }
        }
    }

    /// Its serial number, or its address.
    public var hardware: String? { "aravis:\(serial ?? address ?? "")" }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        camera(named: name.rawValue, stamps: stamps)
    }
}

extension String {
    /// Whether it is a name as GenICam has them: letters, digits and underscores.
    fileprivate var isFeatureName: Bool {
        !isEmpty && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
