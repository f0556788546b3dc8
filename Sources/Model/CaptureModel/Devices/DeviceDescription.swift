/// What is known of a device without opening it, plus what its hardware said when it was opened.
public struct DeviceDescription: Hashable, Codable, Sendable {
    public var id: DeviceID
    public var mediaType: MediaType
    public var type: DeviceType
    public var position: Position
    /// Free words a selection can name.
    public var labels: [String]
    /// Why the rig has it, as its configuration states.
    public var purpose: String
    public var orientation: Orientation
    /// Whether left and right of the upright picture are exchanged; nil means no.
    public var mirrored: Bool?
    /// The make of device: `virtual`, `v4l2`, `file` or `alsa`.
    public var driver: String
    /// EXIF Make, Model and BodySerialNumber, where known.
    public var make: String?
    public var model: String?
    public var serial: String?

    public init(
        id: DeviceID, mediaType: MediaType = .video, type: DeviceType = .external, position: Position = .unspecified,
        labels: [String] = [], purpose: String = "", orientation: Orientation = .degrees0,
        mirrored: Bool? = nil, driver: String,
        make: String? = nil, model: String? = nil, serial: String? = nil
    ) {
        self.id = id
        self.mediaType = mediaType
        self.type = type
        self.position = position
        self.labels = labels
        self.purpose = purpose
        self.orientation = orientation
        self.mirrored = mirrored
        self.driver = driver
        self.make = make
        self.model = model
        self.serial = serial
    }
}
