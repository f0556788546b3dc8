public import ImageMetadata

/// The moving half of a Live Photo: frames with their times, sound, which frame is the still, and what pairs the two.
///
/// The bytes of the frames are shared, not copied, until they are written.
public struct LivePhotoClip: Sendable {
    /// One picture of the clip.
    public struct Frame: Hashable, Sendable {
        /// A whole JPEG as the camera gave it, all of one size; standard Huffman tables are put in where they are missing.
        public var jpeg: [UInt8]
        /// When it was exposed, in 1/90 000 s from the clip's start; not negative. See ``MovieTime``.
        public var presentationTime: Int64

        /// Describes a frame.
        public init(jpeg: [UInt8], presentationTime: Int64) {
            self.jpeg = jpeg
            self.presentationTime = presentationTime
        }
    }

    /// The pictures, in rising order of time; at least one.
    public var frames: [Frame]
    /// Index in ``frames`` of the picture that the still is.
    public var stillIndex: Int
    /// The clip's length in 1/90 000 s: where the last frame and the sound end. nil: the last frame lasts as long as the
    /// one before.
    public var duration: Int64?
    /// Sound from the clip's start; nil for a silent clip.
    public var sound: MovieSound?
    /// Upper-case UUID that the still's ``EXIFDescription/contentIdentifier`` has too.
    public var contentIdentifier: String
    /// When the clip began.
    public var creationDate: EXIFTimestamp
    /// How viewers turn the frames.
    public var orientation: EXIFOrientation
    /// Maker of the camera.
    public var make: String?
    /// Model of the camera.
    public var model: String?
    /// Program that wrote the file, with its version.
    public var software: String?

    /// Describes a clip; ``write(to:as:)`` checks it.
    public init(
        frames: [Frame], stillIndex: Int, duration: Int64? = nil, sound: MovieSound? = nil, contentIdentifier: String,
        creationDate: EXIFTimestamp, orientation: EXIFOrientation = .up, make: String? = nil, model: String? = nil,
        software: String? = nil
    ) {
        self.frames = frames
        self.stillIndex = stillIndex
        self.duration = duration
        self.sound = sound
        self.contentIdentifier = contentIdentifier
        self.creationDate = creationDate
        self.orientation = orientation
        self.make = make
        self.model = model
        self.software = software
    }
}
