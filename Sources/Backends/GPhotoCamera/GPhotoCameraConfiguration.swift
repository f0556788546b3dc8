public import CameraKit
public import CaptureModel
public import RigConfiguration

/// Which camera libgphoto2 is to drive, and what is known of it. The names are the keys in YAML.
public struct GPhotoCameraConfiguration: Hashable, Sendable {
    /// What makes the camera expose.
    public enum Trigger: String, Hashable, Sendable, CaseIterable {
        /// The node asks it.
        case command
        /// Something at its socket for a remote release.
        case wired
    }

    /// The serial number that the camera tells. nil if the port names the camera.
    public var serial: String?
    /// libgphoto2's name of a port, such as `ptpip:192.168.1.20`. nil if the serial number names the camera.
    public var port: String?
    /// libgphoto2's name of the model, for a camera at a port that is not USB; nil for any that speaks PTP/IP.
    public var model: String?
    public var trigger = Trigger.command
    /// Of the JPEG images that it is set to.
    public var width: Int
    public var height: Int
    /// The longest time from one picture to the next.
    public var secondsPerPicture = 3.0
    /// The usual time from the request to mid-exposure; nil if it is not known.
    public var lagMilliseconds: Double?
    /// With a wired trigger, the longest time from mid-exposure until the camera announces the file.
    public var largestLatencyMilliseconds = 3000.0
    /// How long the camera may be silent while something is asked of it.
    public var patienceMilliseconds = 15_000.0
    /// How long it may take to open the camera.
    public var startMilliseconds = 30_000.0
    /// Whether pictures are removed from its card when the library has them.
    public var emptyCard = true
    /// What the camera is set to when it is opened, in this order, in libgphoto2's words, such as `iso` and `400`.
    public var settings: [OpeningSetting] = []
    /// The program that drives it, looked for in `PATH` if its name has no slash.
    public var helper = "caprig-gphoto"

    public init(serial: String? = nil, port: String? = nil, width: Int, height: Int) {
        self.serial = serial
        self.port = port
        self.width = width
        self.height = height
    }

    /// The limits of what a configuration may say.
    public enum Limits {
        public static let pixels = 16...65_535
        public static let secondsPerPicture = 0.1...60.0
        public static let lagMilliseconds = 0.0...10_000.0
        public static let largestLatencyMilliseconds = 1.0...60_000.0
        public static let patienceMilliseconds = 1000.0...600_000.0
        public static let startMilliseconds = 100.0...600_000.0
        public static let textByteCount = 256
    }

    var command: [String] {
        [helper] + (serial.map { ["--serial", $0] } ?? []) + (port.map { ["--port", $0] } ?? [])
            + (model.map { ["--camera", $0] } ?? [])
    }

    /// The camera for people: `serial 123` or its port.
    var identity: String { serial.map { "serial \($0)" } ?? port ?? "" }

    var frameInterval: Duration { .nanoseconds(Int64(secondsPerPicture * 1e9)) }
    var lag: Duration? { lagMilliseconds.map(Self.duration) }
    var patience: Duration { Self.duration(patienceMilliseconds) }
    var startLimit: Duration { Self.duration(startMilliseconds) }

    var format: VideoFormat {
        VideoFormat(pixelFormat: .mjpeg, width: width, height: height, frameInterval: frameInterval)
    }

    var limits: PictureMachine.Limits {
        let isWired = trigger == .wired
        return PictureMachine.Limits(
            isWired: isWired, lag: isWired ? .zero : lag ?? .zero, window: frameInterval / 2, pairing: frameInterval,
            patience: patience, emptiesCard: emptyCard)
    }

    /// A byte for each pixel of a JPEG image, and two for each of the sensor.
    var estimatedByteCount: TakenPicture.ByteCount {
        TakenPicture.ByteCount(photo: width * height, raw: width * height * 2)
    }

    func stamps(_ correction: StampCorrection) -> StillStamps {
        StillStamps(
            correction: correction, lag: lag,
            largestLatency: trigger == .wired ? Self.duration(largestLatencyMilliseconds) : .zero)
    }

    private static func duration(_ milliseconds: Double) -> Duration { .nanoseconds(Int64(milliseconds * 1e6)) }
}

extension GPhotoCameraConfiguration: CameraSource {
    public static let key = "gphoto"

    /// Reads the configuration. The camera is not asked.
    public init?(_ value: YAMLValue) {
        guard let mapping = value.mapping() else { return nil }
        let text = Scalar<String>.text(limit: Limits.textByteCount)
        let (serial, port) = (mapping.value("serial")?.scalar(text), mapping.value("port")?.scalar(text))
        let width = mapping.required("width")?.scalar(.integer(Limits.pixels))
        let height = mapping.required("height")?.scalar(.integer(Limits.pixels))
        var read = GPhotoCameraConfiguration(serial: serial, port: port, width: width ?? 0, height: height ?? 0)
        read.model = mapping.value("model")?.scalar(text)
        read.trigger = mapping.read("trigger", .oneOf(Trigger.self), default: read.trigger)
        read.secondsPerPicture = mapping.read(
            "secondsPerPicture", .number(Limits.secondsPerPicture), default: read.secondsPerPicture)
        read.lagMilliseconds = mapping.value("lagMilliseconds")?.scalar(.number(Limits.lagMilliseconds))
        read.largestLatencyMilliseconds = mapping.read(
            "largestLatencyMilliseconds", .number(Limits.largestLatencyMilliseconds),
            default: read.largestLatencyMilliseconds)
        read.patienceMilliseconds = mapping.read(
            "patienceMilliseconds", .number(Limits.patienceMilliseconds), default: read.patienceMilliseconds)
        read.startMilliseconds = mapping.read(
            "startMilliseconds", .number(Limits.startMilliseconds), default: read.startMilliseconds)
        read.emptyCard = mapping.read("emptyCard", .flag, default: read.emptyCard)
        read.settings = OpeningSetting.read(
            from: mapping, named: { !$0.isEmpty && !$0.contains(where: \.isWhitespace) },
            otherwise: "is not an entry: names are those of `gphoto2 --list-config`, such as iso")
        read.helper = mapping.read("helper", text, default: read.helper)
        mapping.finish()
        guard width != nil, height != nil else { return nil }
        guard serial != nil || port != nil else {
            mapping.report(.missingKey, "names no camera: `serial` is the camera's serial number, `port` its address")
            return nil
        }
        self = read
    }

    public var written: WrittenValue {
        let usual = GPhotoCameraConfiguration(width: width, height: height)
        return .mapping { mapping in
            mapping.add("serial", text: serial)
            mapping.add("port", text: port)
            mapping.add("model", text: model)
            mapping.add("trigger", plain: trigger.rawValue)
            mapping.add("width", plain: width)
            mapping.add("height", plain: height)
            mapping.add("secondsPerPicture", plain: secondsPerPicture)
            mapping.add("lagMilliseconds", plainIfPresent: lagMilliseconds)
            mapping.add("largestLatencyMilliseconds", plain: largestLatencyMilliseconds)
            mapping.add("patienceMilliseconds", plain: patienceMilliseconds)
            mapping.add("startMilliseconds", plain: startMilliseconds)
            mapping.add("emptyCard", plain: emptyCard)
            settings.write(to: &mapping)
            if helper != usual.helper { mapping.add("helper", text: helper) }
        }
    }

    /// Its serial number, or its address.
    public var hardware: String? { "gphoto:\(serial ?? port ?? "")" }

    public func makeCamera(name: DeviceName, stamps: StampCorrection) -> any Camera {
        GPhotoCamera(name: name.rawValue, configuration: self, stamps: stamps)
    }
}
