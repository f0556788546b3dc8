public import CaptureModel
public import PosixSupport

/// Writes the companion movie of a capture.
public protocol ClipWriting: Sendable {
    /// Why no clip can be written on this machine, and what mends it; nil if one can.
    var obstacle: String? { get }

    /// Writes a finished movie and makes it durable. Blocks on the disk.
    /// - Throws: Why there is none. Nothing is left in the folder then.
    func write(_ clip: Clip, to folder: Folder, as name: String) throws(RigProblem)
}
