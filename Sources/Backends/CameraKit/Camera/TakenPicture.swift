public import CaptureModel

/// A picture of a camera without frames, with its files.
public struct TakenPicture: Sendable {
    /// Counts the pictures of a stream.
    public struct Number: Hashable, Sendable {
        public var value: UInt64

        public init(_ value: UInt64) { self.value = value }
    }

    /// The files of one exposure: those that were asked for, at least one. The reasons for a missing one are sentences.
    public enum Files: Hashable, Sendable {
        /// The JPEG image, as the camera has made it, with its own metadata. No raw file was asked for.
        case photo([UInt8])
        case photoAndRaw([UInt8], CameraRawFile)
        case photoAlone([UInt8], noRaw: String)
        case rawAlone(CameraRawFile, noPhoto: String)

        /// The JPEG image; nil if it is missing.
        public var photo: [UInt8]? {
            switch self {
            case .photo(let bytes), .photoAndRaw(let bytes, _), .photoAlone(let bytes, _): bytes
            case .rawAlone: nil
            }
        }

        /// The camera's raw file; nil if it is missing, or was not asked for.
        public var raw: CameraRawFile? {
            switch self {
            case .photoAndRaw(_, let file), .rawAlone(let file, _): file
            case .photo, .photoAlone: nil
            }
        }
    }

    /// Bytes of the files of a picture.
    public struct ByteCount: Hashable, Sendable {
        public var photo: Int
        public var raw: Int

        public init(photo: Int, raw: Int) {
            self.photo = photo
            self.raw = raw
        }
    }

    public var number: Number
    /// Counts the pictures that were delivered.
    public var sequence: UInt64
    /// Mid-exposure on this machine's clock.
    public var midExposure: LocalTime
    /// Largest error of `midExposure`.
    public var stampBound: Duration
    /// When all of its files were there.
    public var dequeued: LocalTime
    public var files: Files

    public init(
        number: Number, sequence: UInt64, midExposure: LocalTime, stampBound: Duration, dequeued: LocalTime,
        files: Files
    ) {
        self.number = number
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.dequeued = dequeued
        self.files = files
    }
}

/// A raw file as a camera has made it.
public struct CameraRawFile: Hashable, Sendable {
    public var format: CameraRawFormat
    public var bytes: [UInt8]

    public init(format: CameraRawFormat, bytes: [UInt8]) {
        self.format = format
        self.bytes = bytes
    }
}
