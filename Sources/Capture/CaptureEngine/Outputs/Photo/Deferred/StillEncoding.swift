public import CaptureModel
public import PosixSupport

/// Encodes stills.
public protocol StillEncoding: Sendable {
    /// Makes a HEIC file of a JPEG, with its Exif block and its orientation.
    /// - Parameters:
    ///   - source: The JPEG, in `sources`.
    ///   - scratch: A name in `sources` for temporary use.
    ///   - name: The name in `folder`. The file is durable and is put in place in one step.
    /// - Throws: `encoderFailed`, `noSpace`, `inputOutput`; `cancelled` if the task is cancelled. Nothing is left under
    ///   `name` then.
    func encodeHEIC(
        _ source: String, in sources: Folder, through scratch: String, to folder: Folder, as name: String
    ) async throws(RigProblem)
}
