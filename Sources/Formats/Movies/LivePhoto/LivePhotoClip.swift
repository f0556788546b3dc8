public import ImageMetadata
internal import LibAV
public import PosixSupport

/// The movie of a Live Photo: frames with their times, sound, the index of the still, and the identifier that pairs it with the still.
///
/// The bytes of the frames are shared, not copied, until they are written.
public struct LivePhotoClip: Sendable {
    /// One picture of the clip.
    public struct Frame: Hashable, Sendable {
        /// A complete JPEG as the camera delivered it; all have the same size. Standard Huffman tables are inserted if they are missing.
        public var jpeg: [UInt8]
        /// When the frame was exposed, in 1/90 000 s from the clip's start; not negative. See ``MovieTime``.
        public var presentationTime: Int64

        public init(jpeg: [UInt8], presentationTime: Int64) {
            self.jpeg = jpeg
            self.presentationTime = presentationTime
        }
    }

    /// The pictures in ascending order of time; at least one.
    public var frames: [Frame]
    /// The index in ``frames`` of the picture that is the still.
    public var stillIndex: Int
    /// The clip's length in 1/90 000 s, at which the last frame and the sound end. If nil, the last frame has the
    /// duration of the one before.
    public var duration: Int64?
    /// Sound from the clip's start; nil for a silent clip.
    public var sound: MovieSound?
    /// The UUID in upper case that the still's ``EXIFDescription/contentIdentifier`` also has.
    public var contentIdentifier: String
    /// When the clip began.
    public var creationDate: EXIFTimestamp
    /// How viewers rotate the frames.
    public var orientation: EXIFOrientation
    /// Manufacturer of the camera.
    public var make: String?
    /// Model of the camera.
    public var model: String?
    /// Tells the camera from others of its model.
    public var cameraIdentifier: String?
    /// Program that wrote the file, with its version.
    public var software: String?

    /// Creates a clip without validation. ``write(to:as:)`` validates it.
    public init(
        frames: [Frame], stillIndex: Int, duration: Int64? = nil, sound: MovieSound? = nil, contentIdentifier: String,
        creationDate: EXIFTimestamp, orientation: EXIFOrientation = .up, make: String? = nil, model: String? = nil,
        cameraIdentifier: String? = nil, software: String? = nil
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
        self.cameraIdentifier = cameraIdentifier
        self.software = software
    }
}

extension EXIFOrientation {
    /// Returns the matrix of a track header that shows stored pixels in this orientation, with the picture's corner
    /// moved to the origin; empty if no rotation is necessary (QuickTime File Format, "Matrices").
    func displayMatrix(width: Int, height: Int) -> [Int32] {
        let (right, down) = (Int32(clamping: width) << 16, Int32(clamping: height) << 16)
        return switch self {
        case .up: []
        case .upMirrored: matrix(-1, 0, 0, 1, right, 0)
        case .down: matrix(-1, 0, 0, -1, right, down)
        case .downMirrored: matrix(1, 0, 0, -1, 0, down)
        case .leftMirrored: matrix(0, 1, 1, 0, 0, 0)
        case .right: matrix(0, 1, -1, 0, down, 0)
        case .rightMirrored: matrix(0, -1, -1, 0, down, right)
        case .left: matrix(0, -1, 1, 0, 0, right)
        }
    }

    /// x' = ax + cy + tx, y' = bx + dy + ty. The third column is 0, 0, 1 in 2.30 fixed point.
    private func matrix(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32, _ tx: Int32, _ ty: Int32) -> [Int32] {
        [a << 16, b << 16, 0, c << 16, d << 16, 0, tx, ty, 1 << 30]
    }
}

extension LivePhotoClip {
    /// Writes the finished QuickTime movie under a temporary name, makes it durable, renames it in one step, and makes the name durable.
    ///
    /// Blocks on the disk. Call it from a ``ThreadExecutor`` or a dedicated thread.
    ///
    /// - Parameters:
    ///   - folder: The folder of the movie.
    ///   - name: The name of the movie, such as `pairedVideo.mov`. A file of that name is replaced. `name.tmp` is used in the meantime.
    /// - Returns: The movie's length in bytes.
    /// - Throws: ``MovieError``. Nothing is then left in the folder, except an earlier file of that name.
    @discardableResult
    public func write(to folder: Folder, as name: String) throws(MovieError) -> Int64 {
        let plan = try ClipMuxPlan(self, subject: folder.path(of: name))
        return try MovieFile.publish(in: folder, as: name) { (temporary) throws(MovieError) in
            let file = try MovieFile.open(temporary, in: folder, for: .writing)
            try MovieFile.library { () throws(LibAVError) in
                try write(plan, to: MovieMuxer(to: file, streams: plan.streams, options: plan.options))
            }
            try LivePhotoMovieWriter(tags: plan.tags, stillTime: plan.stillTime)
                .add(to: MovieFile.open(temporary, in: folder, for: .updating))
        }
    }

    /// Writes the pictures and, up to the time of each, the sound.
    private func write(_ plan: ClipMuxPlan, to muxer: MovieMuxer) throws(LibAVError) {
        var written = 0
        for index in frames.indices {
            try muxer.write(
                MediaPacket(
                    stream: 0, presentationTime: frames[index].presentationTime, duration: plan.durations[index],
                    bytes: plan.completed(frames[index].jpeg)))
            try write(plan, soundFrom: &written, to: plan.samples(until: frames[index].presentationTime), muxer)
        }
        try write(plan, soundFrom: &written, to: plan.sampleCount, muxer)
        try muxer.finish()
    }

    private func write(
        _ plan: ClipMuxPlan, soundFrom start: inout Int, to end: Int, _ muxer: MovieMuxer
    ) throws(LibAVError) {
        guard let sound, end > start else { return }
        let size = 2 * sound.channelCount
        try muxer.write(
            MediaPacket(
                stream: 1, presentationTime: Int64(start), duration: Int64(end - start),
                bytes: Array(sound.samples[start * size..<end * size])))
        start = end
    }
}

/// The metadata of a Live Photo's movie.
public struct LivePhotoTags: Hashable, Sendable {
    /// The UUID in upper case that the still also has.
    public var contentIdentifier: String
    /// The time at which the movie begins.
    public var creationDate: EXIFTimestamp?
    public var make: String?
    public var model: String?
    /// Tells the camera from others of its model.
    public var cameraIdentifier: String?
    /// Program that wrote the file, with its version.
    public var software: String?

    public init(
        contentIdentifier: String, creationDate: EXIFTimestamp? = nil, make: String? = nil, model: String? = nil,
        cameraIdentifier: String? = nil, software: String? = nil
    ) {
        self.contentIdentifier = contentIdentifier
        self.creationDate = creationDate
        self.make = make
        self.model = model
        self.cameraIdentifier = cameraIdentifier
        self.software = software
    }

    static let contentIdentifierKey = "com.apple.quicktime.content.identifier"

    /// The entries with Apple's keys. Values that are nil are left out.
    var tags: MovieTags {
        let texts = [
            ("content.identifier", contentIdentifier), ("creationdate", creationDate?.quickTimeText), ("make", make),
            ("model", model), ("camera.identifier", cameraIdentifier), ("software", software),
        ]
        return MovieTags(
            entries: texts.compactMap { key, value in value.map { ("com.apple.quicktime.\(key)", $0) } })
    }
}

extension EXIFTimestamp {
    /// The form that Apple's cameras write, to the second: `2026-01-09T18:32:07+0900`.
    var quickTimeText: String {
        let parts = dateTime.split(separator: " ")
        let day = (parts.first ?? "").replacing(":", with: "-")
        return "\(day)T\(parts.last ?? "")\(offset.replacing(":", with: ""))"
    }

    /// The form of the movie's header, in UTC: `2026-01-09T09:32:07Z`.
    var utcText: String {
        let utc = EXIFTimestamp(realtimeNanoseconds: realtimeNanoseconds, utcOffsetMinutes: 0)
        let parts = utc.dateTime.split(separator: " ")
        return "\((parts.first ?? "").replacing(":", with: "-"))T\(parts.last ?? "")Z"
    }
}
