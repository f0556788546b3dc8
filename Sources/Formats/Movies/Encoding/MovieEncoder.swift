internal import FaultPoints
internal import LibAV
public import PosixSupport

/// Encodes movies as H.264 and AAC with the program `ffmpeg`.
///
/// It is a separate program, because x264 is under the GPL, a crash or endless loop of an encoder does not affect this
/// process, and the program can have a lower priority.
public struct MovieEncoder: Sendable {
    private let program: ExternalProgram
    private let limit: Duration

    /// The program's file name.
    public static let programName = "ffmpeg"

    /// - Parameters:
    ///   - program: `ffmpeg` with libx264.
    ///   - limit: The longest time for encoding one movie.
    public init(program: ExternalProgram, limit: Duration = .seconds(300)) {
        self.program = program
        self.limit = limit
    }

    /// Encodes a movie as MP4, as a motion photo requires it. Its pictures keep their times.
    ///
    /// - Parameters:
    ///   - source: A finished movie in `sources`.
    ///   - folder: The folder of the new movie.
    ///   - name: The name of the new movie. A file of that name is replaced. `name.tmp` is used in the meantime.
    /// - Returns: The new movie's length in bytes.
    /// - Throws: ``MovieError``. Nothing is then left in the folder.
    @discardableResult
    public func makeMP4(
        of source: String, in sources: Folder, to folder: Folder, as name: String
    ) async throws(MovieError) -> Int64 {
        try await encode(source, in: sources, as: "mp4", texts: [], to: folder, as: name + ".tmp")
        return try MovieFile.publish(in: folder, as: name) { (_) throws(MovieError) in }
    }

    /// Encodes a movie as MP4 for a reader that needs it once: nothing is made durable, and neither file needs a name.
    ///
    /// - Parameters:
    ///   - source: A finished movie, open for reading.
    ///   - summary: What it contains.
    ///   - output: An empty file, open for reading and writing. After an error it has any content.
    ///   - byteLimit: The most bytes of the new movie.
    /// - Throws: ``MovieError``.
    public func encodeMP4(
        _ source: OpenFile, _ summary: MovieSummary, to output: OpenFile, byteLimit: Int64
    ) async throws(MovieError) {
        do throws(ExternalProgramError) {
            try await program.run(
                Self.arguments(reading: ExternalProgram.inputPath, as: "mp4"), reading: source, writing: output,
                byteLimit: byteLimit, limit: limit)
        } catch {
            throw MovieError(error, subject: source.path)
        }
        try Self.checkPictures(output, expected: summary.pictureCount, source.path)
    }

    /// Encodes the movie of a Live Photo as another one that differs only in its coding.
    ///
    /// - Parameters:
    ///   - source: The movie in `sources`. The new one may replace it.
    ///   - folder: The folder of the new movie.
    ///   - name: The name of the new movie. A file of that name is replaced in one step. `name.tmp` is used in the meantime.
    /// - Returns: The new movie's length in bytes.
    /// - Throws: ``MovieError``. `folder` is then unchanged.
    @discardableResult
    public func encodeLivePhoto(
        _ source: String, in sources: Folder, to folder: Folder, as name: String
    ) async throws(MovieError) -> Int64 {
        let movie = try MovieFile.open(source, in: sources, for: .reading)
        guard let pairing = try LivePhotoMovieWriter.read(movie) else {
            throw MovieError(.invalidInput, "encode", movie.path, "it is not the movie of a Live Photo")
        }
        let creation = try MovieFile.library { () throws(LibAVError) in
            try MovieDemuxer(from: movie).metadata["creation_time"]
        }
        let texts = creation.map { ["-metadata", "creation_time=\($0)"] } ?? []
        try await encode(source, in: sources, as: "mov", texts: texts, to: folder, as: name + ".tmp")
        return try MovieFile.publish(in: folder, as: name) { (temporary) throws(MovieError) in
            try pairing.add(to: MovieFile.open(temporary, in: folder, for: .updating))
        }
    }

    /// - Throws: ``MovieError``. `name` is then removed.
    private func encode(
        _ source: String, in sources: Folder, as container: String, texts: [String], to folder: Folder, as name: String
    ) async throws(MovieError) {
        let path = sources.path(of: source)
        let arguments = Self.arguments(reading: path, as: container, texts)
        do throws(MovieError) {
            await EncoderFault.starting.reached()
            let output = try MovieFile.posix { () throws(PosixError) in try folder.create(name) }
            do throws(ExternalProgramError) {
                try await program.run(arguments, writing: output, limit: limit)
            } catch {
                throw MovieError(error, subject: path)
            }
            await EncoderFault.ended.reached()
            let expected = try MovieSummary(of: MovieFile.open(source, in: sources, for: .reading)).pictureCount
            try Self.checkPictures(MovieFile.open(name, in: folder, for: .reading), expected: expected, path)
        } catch {
            // If this fails, the next attempt replaces the file.
            try? folder.remove(name)
            throw error
        }
    }

    /// Compares the number of pictures with that of the source. FFmpeg 5.1 ends with status 0 even if the disk refused its output.
    private static func checkPictures(_ movie: OpenFile, expected: Int, _ path: String) throws(MovieError) {
        let hint = "although it reported success; check whether the disk is full"
        let found: Int
        do throws(MovieError) {
            _ = try MovieIndex.read(movie)
            found = try MovieSummary(of: movie).pictureCount
        } catch {
            throw MovieError(.encoder, "encode", path, "what it wrote cannot be read, \(hint): \(error)")
        }
        guard found == expected else {
            throw MovieError(.encoder, "encode", path, "it wrote \(found) of \(expected) pictures, \(hint)")
        }
    }

    private static func arguments(reading path: String, as container: String, _ texts: [String] = []) -> [String] {
        reading + ["-i", "file:" + path] + pictures + sound + layout + texts
            + ["-f", container, "file:" + ExternalProgram.outputPath]
    }

    /// Times are copied unchanged. Pictures are not rotated, because the track's matrix does this.
    private static let reading = ["-nostdin", "-v", "error", "-y", "-noautorotate", "-copyts"]

    /// 4:2:0 of limited range, which every player supports, without B-frames. JPEG's colors: primaries of BT.709,
    /// curve of sRGB, matrix of BT.601. 4:2:0 has no odd sides, so a last odd column or row is cropped.
    private static let pictures = [
        "-map", "0:v:0", "-vf",
        "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0:exact=1,scale=in_range=full:out_range=limited,format=yuv420p",
        "-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-bf", "0", "-g", "30", "-fps_mode", "passthrough",
        "-enc_time_base", "1:90000", "-color_range", "tv", "-colorspace", "smpte170m", "-color_primaries", "bt709",
        "-color_trc", "iec61966-2-1",
    ]

    private static let sound = ["-map", "0:a:0?", "-c:a", "aac", "-b:a", "96k"]

    /// The time scale of the clip, so that no time is rounded. Only the requested metadata.
    private static let layout = [
        "-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-flags:a", "+bitexact",
        "-video_track_timescale", "90000", "-movie_timescale", "90000", "-avoid_negative_ts", "disabled",
    ]
}
