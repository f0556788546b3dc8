internal import CaptureModel
internal import ImageMetadata
internal import StorageKit

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

    /// - Throws: ``PictureProblem`` where the file has no such picture; `StorageError` where the store fails.
    func jpeg(of file: StoredPicture) async throws -> [UInt8] {
        switch self {
        case .whole:
            return try await Self.read(file, at: 0, count: file.byteCount)
        case .embedded:
            guard let place = TIFFPreview.jpeg(in: try await file.read(at: 0, count: Self.directoryLimit)) else {
                throw PictureProblem(description: "\(file.key) has no JPEG in its first directory")
            }
            return try await Self.read(file, at: place.offset, count: Int64(place.byteCount))
        case .firstFrame:
            return try await FirstFrame(file).jpeg()
        }
    }

    private static func read(_ file: StoredPicture, at offset: Int64, count: Int64) async throws -> [UInt8] {
        guard (1...Int64(byteLimit)).contains(count) else {
            throw PictureProblem(
                description: "\(file.key) has a picture of \(count) bytes; 1 to \(byteLimit) are read")
        }
        return try await file.read(at: offset, count: Int(count))
    }
}

/// A stored file of which small pictures are to be made.
struct StoredPicture {
    let store: any AssetReading
    let key: FileKey
    let byteCount: Int64

    func read(at offset: Int64, count: Int) async throws(StorageError) -> [UInt8] {
        try await store.read(key, at: offset, count: count)
    }
}
