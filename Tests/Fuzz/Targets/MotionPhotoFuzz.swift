import CaptureTestSupport
import ImageMetadata
import Movies
import PosixSupport

/// A still that may have a movie behind it, and metadata that may name it.
enum MotionPhotoFuzz {
    static func run(_ bytes: [UInt8]) throws {
        _ = try? EXIFReader.contentIdentifier(in: bytes)
        _ = AppleMakerNote.contentIdentifier(in: bytes)
        _ = MotionPhotoMetadata(packet: String(decoding: bytes, as: UTF8.self))
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, as: "photo.jpg")
        try withExtendedLifetime(folder) {
            if let movie = try? MotionPhoto.movie(in: OpenFile(opening: path)) {
                try FuzzFinding.unless(
                    movie.offset > 0 && movie.offset + movie.byteCount == Int64(bytes.count),
                    "the movie does not end where the file does")
            }
        }
        try rewrite(bytes)
    }

    /// An image that is given a movie names that one.
    private static func rewrite(_ bytes: [UInt8]) throws {
        let metadata = MotionPhotoMetadata(movieByteCount: 4711, presentationMicroseconds: 1)
        guard let image = try? JPEGRewriter.image(bytes, withXMP: metadata.packet) else { return }
        try FuzzFinding.unless(
            try XMPSegment.packet(in: image).flatMap(MotionPhotoMetadata.init(packet:)) == metadata,
            "a motion photo names another movie than its own")
        try FuzzFinding.unless(try JPEGStructure(parsing: image).endOffset == image.count, "the image has no end")
    }
}
