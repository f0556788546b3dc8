/// What a still says about itself in its Exif block; what is nil is left out.
///
/// Control characters are removed from texts, and a text that is then empty is left out.
public struct EXIFDescription: Hashable, Sendable {
    /// Maker of the camera.
    public var make: String?
    /// Model of the camera.
    public var model: String?
    /// Serial number of the camera.
    public var bodySerialNumber: String?
    /// 128 bits as 32 hexadecimal digits, unique to the image.
    public var imageUniqueID: String?
    /// Program that wrote the file, with its version.
    public var software: String?
    /// UUID in upper case that pairs a still with its movie, as Apple's Live Photos have it; written into a MakerNote.
    public var contentIdentifier: String?
    /// What the image shows.
    public var imageDescription: String?
    /// A remark of the user or program.
    public var userComment: String?
    /// How viewers turn the image.
    public var orientation: EXIFOrientation
    /// When the image was taken.
    public var originalDate: EXIFTimestamp?
    /// Exposure time in seconds.
    public var exposureTime: EXIFRational?
    /// Sensitivity as an ISO value.
    public var isoSpeed: UInt16?
    /// Pixels across; the frame header's when nil.
    public var pixelWidth: Int?
    /// Pixels down; the frame header's when nil.
    public var pixelHeight: Int?
    /// Whether and why the image was lit.
    public var flash: EXIFFlash?
    /// A small picture of the image.
    public var thumbnail: EXIFThumbnail?

    /// Creates a description.
    public init(
        make: String? = nil, model: String? = nil, bodySerialNumber: String? = nil, imageUniqueID: String? = nil,
        software: String? = nil, contentIdentifier: String? = nil, imageDescription: String? = nil,
        userComment: String? = nil,
        orientation: EXIFOrientation = .up, originalDate: EXIFTimestamp? = nil, exposureTime: EXIFRational? = nil,
        isoSpeed: UInt16? = nil, pixelWidth: Int? = nil, pixelHeight: Int? = nil, flash: EXIFFlash? = nil,
        thumbnail: EXIFThumbnail? = nil
    ) {
        self.make = make
        self.model = model
        self.bodySerialNumber = bodySerialNumber
        self.imageUniqueID = imageUniqueID
        self.software = software
        self.contentIdentifier = contentIdentifier
        self.imageDescription = imageDescription
        self.userComment = userComment
        self.orientation = orientation
        self.originalDate = originalDate
        self.exposureTime = exposureTime
        self.isoSpeed = isoSpeed
        self.pixelWidth = pixelWidth
        self.pixelHeight = pixelHeight
        self.flash = flash
        self.thumbnail = thumbnail
    }
}
