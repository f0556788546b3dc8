internal import CaptureModel
internal import CaptureSystem
internal import ImageMetadata
internal import LibAV
internal import PosixSupport

/// How a JPEG is had of a stored file: one line for each kind that can be shown.
enum PictureSource: Hashable {
    /// It is one.
    case whole
    /// The JPEG in the first directory of a TIFF.
    case embedded
    /// The first packet of a movie's pictures.
    case firstFrame

    /// - Parameter kinds: What else of the capture is stored.
    /// - Returns: nil where the file is shown by another one, or cannot be shown.
    init?(_ kind: AssetKind, beside kinds: Set<AssetKind>) {
        switch kind {
        case .photo, .photo2, .photo3, .photo4, .photo5: self = .whole
        case .alternatePhoto where !kinds.contains(.photo): self = .embedded
        // A take is shown by its beginning.
        case .movie(.first): self = .firstFrame
        case .alternatePhoto, .preview, .pairedVideo, .motionPhoto, .photoHEIC, .movie, .frames: return nil
        }
    }

    /// The longest JPEG that is looked at.
    private static let byteLimit = 100 << 20
    /// How much of a TIFF is read for its first directory.
    private static let directoryLimit = 64 << 10

    /// - Throws: ``PictureProblem`` where the file has no such picture; `PosixError` where the disk fails.
    func jpeg(of file: OpenFile) throws -> [UInt8] {
        switch self {
        case .whole:
            return try Self.read(file, at: 0, count: try file.byteCount())
        case .embedded:
            guard let place = TIFFPreview.jpeg(in: try file.read(at: 0, count: Self.directoryLimit)) else {
                throw PictureProblem(description: "\(file.path) has no JPEG in its first directory")
            }
            return try Self.read(file, at: place.offset, count: Int64(place.byteCount))
        case .firstFrame:
            return try Self.firstFrame(of: file)
        }
    }

    private static func read(_ file: OpenFile, at offset: Int64, count: Int64) throws -> [UInt8] {
        guard (1...Int64(byteLimit)).contains(count) else {
            throw PictureProblem(
                description: "\(file.path) has a picture of \(count) bytes; 1 to \(byteLimit) are read")
        }
        return try file.read(at: offset, count: Int(count))
    }

    private static func firstFrame(of file: OpenFile) throws -> [UInt8] {
        do {
            let movie = try MovieDemuxer(from: file)
            guard let stream = movie.streams.firstIndex(where: { $0.isVideo && $0.codec == .motionJPEG }) else {
                throw PictureProblem(description: "\(file.path) has no pictures that are JPEGs")
            }
            while let packet = try movie.next() {
                if packet.stream == stream { return packet.bytes }
            }
            throw PictureProblem(description: "\(file.path) has no frame")
        } catch let error as LibAVError {
            if let error = error.file { throw error }
            throw PictureProblem(description: "\(error)")
        }
    }
}
