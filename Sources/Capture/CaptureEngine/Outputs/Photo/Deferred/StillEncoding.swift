public import CaptureModel
public import PosixSupport

/// Encodes stills.
public protocol StillEncoding: Sendable {
    /// Makes a HEIC file of a JPEG, with its Exif block, to be turned as that one.
    /// - Parameters:
    ///   - source: The JPEG, in `sources`.
    ///   - scratch: A name in `sources` that may be used meanwhile.
    ///   - name: In `folder`: durable, and in place in one step.
    /// - Throws: `encoderFailed`, `noSpace`, `inputOutput`; `cancelled` where the task is. Nothing is left under `name` then.
    func encodeHEIC(
        _ source: String, in sources: Folder, through scratch: String, to folder: Folder, as name: String
    ) async throws(CaptureProblem)
}
