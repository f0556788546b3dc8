public import CaptureModel

/// One device of a node: its name, purpose, source and settings.
public struct DeviceConfiguration: Hashable, Sendable {
    public var name: DeviceName
    public var type: DeviceType
    public var position: Position
    public var labels: [String]
    /// The clockwise rotation that makes the picture upright.
    public var orientation: Orientation
    /// Whether left and right are exchanged in the upright picture.
    public var mirrored: Bool
    /// The purpose of the device in the rig.
    public var purpose: String
    /// Whether the agent opens it. A disabled device is not part of the rig.
    public var enabled: Bool
    public var source: DeviceSource
    public var format: FormatPreference
    /// JPEG quality, 1 to 100, of the frames that the node encodes.
    public var quality: Int
    public var stamps: StampCorrection
    /// The format to request from the camera, within `format`.
    public var preset: SessionPreset
    /// Whether the camera runs while nothing needs it.
    public var standby: StandbyPolicy
    /// The largest stills beyond the stream's frames; nil if none are enabled.
    public var maxPhotoDimensions: MaxPhotoDimensions?
    /// Whether captures may have a companion clip, if `ring.depth` suffices.
    public var live: Bool
    /// Whether its exposures are aligned with the rig's time whenever it runs, without a request.
    public var align: Bool
    /// The threshold for reporting a change of the scene; nil to report none.
    public var sceneChange: SceneChangeSettings?
    /// The use of the camera's raw mosaic, if it delivers one.
    public var raw: RawSettings
    /// The node's microphone whose sound belongs to the camera's clips; nil for none.
    public var microphone: DeviceName?
    /// Whether clips require that sound.
    public var audio: AudioPolicy

    public init(
        name: DeviceName, type: DeviceType = .external, position: Position = .unspecified, labels: [String] = [],
        orientation: Orientation = .degrees0, mirrored: Bool = false, purpose: String, enabled: Bool = true,
        source: DeviceSource, format: FormatPreference = FormatPreference(), quality: Int = 90,
        stamps: StampCorrection = StampCorrection(), preset: SessionPreset = .inputPriority,
        standby: StandbyPolicy = .always, maxPhotoDimensions: MaxPhotoDimensions? = nil,
        live: Bool = true, align: Bool = false, sceneChange: SceneChangeSettings? = nil,
        raw: RawSettings = RawSettings(),
        microphone: DeviceName? = nil, audio: AudioPolicy = .optional
    ) {
        self.name = name
        self.type = type
        self.position = position
        self.labels = labels
        self.orientation = orientation
        self.mirrored = mirrored
        self.purpose = purpose
        self.enabled = enabled
        self.source = source
        self.format = format
        self.quality = quality
        self.stamps = stamps
        self.preset = preset
        self.standby = standby
        self.maxPhotoDimensions = maxPhotoDimensions
        self.live = live
        self.align = align
        self.sceneChange = sceneChange
        self.raw = raw
        self.microphone = microphone
        self.audio = audio
    }
}

/// The preferred format; nil lets the camera choose.
public struct FormatPreference: Hashable, Sendable {
    public var pixelFormat: PixelFormat?
    /// Pixels.
    public var width: Int?
    /// Pixels.
    public var height: Int?
    public var framesPerSecond: Double?

    public init(
        pixelFormat: PixelFormat? = nil, width: Int? = nil, height: Int? = nil, framesPerSecond: Double? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }
}

/// The source of a camera or microphone, in the form of its backend.
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

    /// Returns whether both are the same hardware.
    func isSameHardware(as other: DeviceSource) -> Bool {
        guard let hardware = configuration.hardware else { return false }
        return other.key == key && other.configuration.hardware == hardware
    }
}

/// The kinds of sources that a configuration may use, in the order of messages. The backends provide them.
public struct SourceKinds: Sendable {
    public var cameras: [any SourceConfiguration.Type]
    public var microphones: [any SourceConfiguration.Type]

    public init(cameras: [any SourceConfiguration.Type], microphones: [any SourceConfiguration.Type] = []) {
        self.cameras = cameras
        self.microphones = microphones
    }
}

extension DeviceSource {
    /// Reads the single key of a `source`; nil, with a reported problem, if it is not one of these.
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
