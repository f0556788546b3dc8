public import CaptureModel

/// One device of a node: what it is called, what it is for, and where it is found.
public struct DeviceConfiguration: Hashable, Sendable {
    public var name: DeviceName
    public var type: DeviceType
    public var position: Position
    public var labels: [String]
    /// Clockwise turn that makes the picture stand upright.
    public var orientation: Orientation
    /// Whether left and right of the upright picture are exchanged.
    public var mirrored: Bool
    /// Why the rig has it.
    public var purpose: String
    /// Whether the agent opens it; a disabled device is not part of the rig.
    public var enabled: Bool
    public var source: DeviceSource
    public var format: FormatWish
    /// JPEG quality, 1 to 100, of the frames that the node encodes.
    public var quality: Int
    public var stamps: StampCorrection
    /// Which format is asked of the camera, within what `format` says.
    public var preset: SessionPreset
    /// Whether the camera runs while nothing needs it.
    public var standby: StandbyPolicy
    /// How large stills may be beyond the stream's frames; nil where none larger are enabled.
    public var maxPhotoDimensions: MaxPhotoDimensions?
    /// Whether captures may have a companion clip, where `ring.depth` suffices for one.
    public var live: Bool
    /// When a change of the scene is told; nil for never.
    public var sceneChange: SceneChangeSettings?
    /// What is made of the camera's raw mosaic, where it delivers one.
    public var raw: RawSettings
    /// The node's microphone whose sound belongs to the camera's clips; nil for none.
    public var microphone: DeviceName?
    /// What that sound is to them.
    public var audio: AudioPolicy

    public init(
        name: DeviceName, type: DeviceType = .external, position: Position = .unspecified, labels: [String] = [],
        orientation: Orientation = .degrees0, mirrored: Bool = false, purpose: String, enabled: Bool = true,
        source: DeviceSource, format: FormatWish = FormatWish(), quality: Int = 90,
        stamps: StampCorrection = StampCorrection(), preset: SessionPreset = .inputPriority,
        standby: StandbyPolicy = .always, maxPhotoDimensions: MaxPhotoDimensions? = nil,
        live: Bool = true, sceneChange: SceneChangeSettings? = nil, raw: RawSettings = RawSettings(),
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
        self.sceneChange = sceneChange
        self.raw = raw
        self.microphone = microphone
        self.audio = audio
    }
}

/// The format wished for; nil leaves the choice to the camera.
public struct FormatWish: Hashable, Sendable {
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

/// What was measured of a camera's time stamps; a virtual camera's stamps are exact and need none.
public struct StampCorrection: Hashable, Sendable {
    /// Added to every stamp; negative for a camera that stamps late.
    public var latencyOffset: Duration
    /// From the middle line's end of exposure to the arrival of the last pixel.
    public var readout: Duration
    /// How far the two may be off; nil while nothing was measured, which counts as a frame interval.
    public var uncertainty: Duration?

    public init(latencyOffset: Duration = .zero, readout: Duration = .zero, uncertainty: Duration? = nil) {
        self.latencyOffset = latencyOffset
        self.readout = readout
        self.uncertainty = uncertainty
    }
}
