public import CaptureModel

/// A clip that is durable in the spool.
public struct LivePhotoMovieFile: Hashable, Sendable {
    public var file: SpooledFile
    /// Where it lies until the library has it.
    public var path: String
    /// How long it lasts, nanoseconds.
    public var durationNanoseconds: Int64
    /// Where the photo is in it, nanoseconds from its start, after `photoDisplayTime` of AVFoundation.
    public var photoDisplayNanoseconds: Int64
    /// Frames it has.
    public var frameCount: Int

    init(_ file: SpooledFile, path: String, timing: ClipTiming) {
        self.file = file
        self.path = path
        durationNanoseconds = timing.durationNanoseconds
        photoDisplayNanoseconds = timing.photoDisplayNanoseconds
        frameCount = timing.frameOffsets.count
    }
}
