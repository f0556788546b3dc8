import CaptureTestSupport
import Movies
import PosixSupport

/// The movie of a recording that nobody has ended, with its sidecar.
enum CrashedRecordingFuzz {
    private static let stem = "cam-001"
    /// Frames at thirty a second, as the seeds have them.
    private static let lines = (0..<9).map { "{\"presentationTime\":\($0 * 3000)}\n" }.joined()

    static func run(_ bytes: [UInt8]) throws {
        let folder = try TemporaryFolder()
        let recording = RecordingFinisher.recordingName(stem)
        _ = try folder.write(bytes, as: recording)
        try folder.write(lines, to: RecordingFinisher.sidecarName(stem))
        let outcome = try RecordingFinisher.recover(stem, in: Folder(opening: folder.path))
        let (movie, sidecar) = (RecordingFinisher.movieName(stem), RecordingFinisher.sidecarName(stem))
        switch outcome {
        case .finished(let finished):
            try FuzzFinding.unless(finished.frameCount > 0, "a movie without a frame is called finished")
            try FuzzFinding.unless(
                try folder.read(sidecar).count { $0 == UInt8(ascii: "\n") } == finished.frameCount,
                "a sidecar tells of other frames than its movie has")
            try FuzzFinding.unless(try folder.names("") == [sidecar, movie].sorted(), "a finished recording is left")
            try FuzzFinding.unless(
                try Int64(folder.read(movie).count) == finished.byteCount, "a movie has another length than is told")
            _ = try LivePhotoMovieWriter.read(OpenFile(opening: "\(folder.path)/\(movie)"))
        case .empty:
            try FuzzFinding.unless(try folder.names("").isEmpty, "something is left of a recording without a frame")
        case .damaged, .failed:
            try FuzzFinding.unless(
                try folder.names("") == [sidecar, recording].sorted() && folder.read(recording) == bytes,
                "a recording that cannot be read is not as it was")
        case nil: throw FuzzFinding(description: "a recording is not seen")
        }
    }
}
