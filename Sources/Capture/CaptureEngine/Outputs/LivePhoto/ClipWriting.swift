public import CaptureModel
public import PosixSupport

/// Writes the companion movie of a capture.
public protocol ClipWriting: Sendable {
    /// Writes a finished movie and makes it durable. Blocks on the disk.
    /// - Throws: Why there is none. Nothing is left in the folder then.
    func write(_ clip: Clip, to folder: Folder, as name: String) throws(RigProblem)
}
