public import CaptureModel
import Movies
public import PosixSupport

/// Writes the companion movie of a capture.
public protocol ClipWriting: Sendable {
    /// Writes a finished movie and makes it durable. Blocks on the disk.
    /// - Throws: Why there is none; nothing is left in the folder then.
    func write(_ clip: Clip, to folder: Folder, as name: String) throws(CaptureProblem)
}

/// Writes clips as QuickTime movies that pair with their still, as Apple's Live Photos do.
public struct MovieClipWriter: ClipWriting {
    public init() {}

    public func write(_ clip: Clip, to folder: Folder, as name: String) throws(CaptureProblem) {
        do throws(MovieError) {
            try clip.movie.write(to: folder, as: name)
        } catch {
            let code: CaptureProblem.Code =
                error.isOutOfSpace ? .noSpace : error.code == .invalidInput ? .corrupted : .inputOutput
            throw CaptureProblem(code, "\(clip.device): its clip could not be made: \(error)")
        }
    }
}
