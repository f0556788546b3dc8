internal import Glibc
internal import ImageMetadata
public import PosixSupport

/// Google's single-file form of a still with a movie: a JPEG directly followed by an MP4.
public enum MotionPhoto {
    /// The most bytes read of a JPEG's header with Exif, thumbnail, XMP and tables.
    private static let headerLimit = 1 << 20
    private static let pieceSize = 1 << 20
    /// The most bytes of a still. JPEG's largest picture, hardly compressed, has fewer.
    private static let stillLimit = 1 << 30

    /// Writes still and movie into one file, under a temporary name until it is complete and durable.
    ///
    /// - Parameters:
    ///   - still: The JPEG. Its metadata is kept, except that its XMP is replaced.
    ///   - movie: An MP4 of H.264 and AAC, open for reading, as ``MovieEncoder`` makes it.
    ///   - stillTime: The time of the still in the movie, in 1/90 000 s; not negative.
    ///   - folder: The folder of the file.
    ///   - name: The name of the file. Viewers look for `_MP.jpg` at its end. A file of that name is replaced.
    /// - Returns: The file's length in bytes.
    /// - Throws: ``MovieError``. Nothing is then left in the folder.
    @discardableResult
    public static func write(
        still: [UInt8], movie: OpenFile, stillTime: Int64, to folder: Folder, as name: String
    ) throws(MovieError) -> Int64 {
        let length = try movie.movieByteCount()
        guard stillTime >= 0, try QuickTimeAtoms.atoms(of: movie).first?.type == "ftyp" else {
            throw MovieError(
                .invalidInput, "write the motion photo", folder.path(of: name), "\(movie.path) is not an MP4")
        }
        let metadata = MotionPhotoMetadata(
            movieByteCount: length, presentationMicroseconds: MovieTime.microseconds(units: stillTime))
        let image: [UInt8]
        do throws(JPEGProblem) {
            image = try JPEGRewriter.image(still, withXMP: metadata.packet)
        } catch {
            throw MovieError(.invalidInput, "write the motion photo", folder.path(of: name), "\(error)")
        }
        return try MovieFile.publish(in: folder, as: name) { (temporary) throws(MovieError) in
            let file = try MovieFile.open(temporary, in: folder, for: .writing)
            try join(image, movie, length, in: file)
        }
    }

    /// Writes the still of a Live Photo and an encoded copy of its clip into one file, as ``write(still:movie:stillTime:to:as:)`` does.
    ///
    /// - Parameters:
    ///   - still: Name of the JPEG in `stills`.
    ///   - movie: Name of the MP4 in `movies`.
    ///   - clip: Name of the Live Photo's movie in `clips`, which has the time of the still.
    /// - Throws: ``MovieError``. Nothing is then left in the folder.
    public static func write(
        still: String, in stills: Folder, movie: String, in movies: Folder, clip: String, in clips: Folder,
        to folder: Folder, as name: String
    ) throws(MovieError) {
        let source = try MovieFile.open(clip, in: clips, for: .reading)
        guard let pairing = try LivePhotoMovieWriter.read(source) else {
            throw MovieError(.invalidInput, "write the motion photo", folder.path(of: name), "its clip has no still")
        }
        let image = try MovieFile.posix { () throws(PosixError) in try stills.read(still, limit: stillLimit) }
        try write(
            still: image, movie: MovieFile.open(movie, in: movies, for: .reading), stillTime: pairing.stillTime,
            to: folder, as: name)
    }

    /// Finds the movie in a motion photo.
    ///
    /// - Parameter file: Open for reading; untrusted.
    /// - Returns: Offset and length of the movie in bytes, and the time of the still in it, in microseconds or -1.
    /// - Throws: ``MovieError`` of code `malformed` if the file is not a JPEG, has no metadata about a movie, or has no
    ///   movie at the stated position.
    public static func movie(
        in file: OpenFile
    ) throws(MovieError) -> (offset: Int64, byteCount: Int64, presentationMicroseconds: Int64) {
        let refusal = { (cause: String) in MovieError(.malformed, "read the motion photo", file.path, cause) }
        let size = try file.movieByteCount()
        let start = try file.movieBytes(at: 0, count: headerLimit)
        let packet: String?
        do throws(JPEGProblem) {
            packet = try XMPSegment.packet(in: start)
        } catch {
            throw refusal("\(error)")
        }
        guard let metadata = packet.flatMap(MotionPhotoMetadata.init(packet:)) else {
            throw refusal("it names no movie")
        }
        let offset = size - metadata.movieByteCount
        guard metadata.movieByteCount < size, metadata.paddingByteCount < offset - 4 else {
            throw refusal("its movie of \(metadata.movieByteCount) bytes is longer than the file")
        }
        let end = offset - metadata.paddingByteCount
        guard try file.movieBytes(at: end - 2, count: 2) == [0xFF, 0xD9],
            try file.movieBytes(at: offset + 4, count: 4) == AtomWriter.code("ftyp")
        else { throw refusal("its movie is not \(metadata.movieByteCount) bytes before its end") }
        return (offset, metadata.movieByteCount, metadata.presentationMicroseconds)
    }

    private static func join(
        _ image: [UInt8], _ movie: OpenFile, _ length: Int64, in file: OpenFile
    ) throws(MovieError) {
        do throws(PosixError) {
            try file.write(image)
            var offset: Int64 = 0
            while offset < length {
                let piece = try movie.read(at: offset, count: Int(min(Int64(pieceSize), length - offset)))
                guard !piece.isEmpty else { break }
                try file.write(piece)
                offset += Int64(piece.count)
            }
            guard offset == length else {
                throw PosixError(code: EIO, operation: "read", subject: movie.path)
            }
        } catch {
            throw MovieError(error)
        }
    }
}
