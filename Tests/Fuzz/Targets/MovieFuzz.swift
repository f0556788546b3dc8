import CaptureTestSupport
import Movies
import PosixSupport

/// A QuickTime file: what it says of a Live Photo, and what is added to make it one.
enum MovieFuzz {
    static func run(_ bytes: [UInt8]) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, as: "movie.mov")
        try withExtendedLifetime(folder) { try check(path, Folder(opening: folder.path)) }
    }

    private static func check(_ path: String, _ folder: Folder) throws {
        if let movie = try? LivePhotoMovieWriter.read(OpenFile(opening: path)) {
            try FuzzFinding.unless(movie.stillTime >= 0, "a still lies before its movie")
            try FuzzFinding.unless(movie.contentIdentifier != nil, "a Live Photo has no identifier")
        }
        let added = LivePhotoMovieWriter(tags: LivePhotoTags(contentIdentifier: "ID", make: "ü"), stillTime: 0)
        let file = try folder.open("movie.mov", for: .updating)
        guard (try? added.add(to: file)) != nil else { return }
        let again = try LivePhotoMovieWriter.read(OpenFile(opening: path))
        try FuzzFinding.unless(again?.contentIdentifier == "ID", "what was added is not read")
    }
}
