public import Movies
public import PosixSupport

/// Encodes recorded clips.
public protocol ClipEncoding: Sendable {
    /// Makes an MP4 of a clip, durable under its name.
    /// - Throws: ``MovieError``, with code `cancelled` if the task is cancelled. Nothing is left then.
    func makeMP4(
        of source: String, in sources: Folder, to folder: Folder, as name: String
    ) async throws(MovieError) -> Int64

    /// Makes the movie of a Live Photo from a clip, durable under its name.
    /// - Throws: As ``makeMP4(of:in:to:as:)``.
    func encodeLivePhoto(
        _ source: String, in sources: Folder, to folder: Folder, as name: String
    ) async throws(MovieError) -> Int64
}
