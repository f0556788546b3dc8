import CaptureModel
import Foundation
import Spool

/// Where the photos go, as AVCam's go into the photo library: out of the session's spool, which lets go of its own copy
/// only when the photo is stored.
struct PhotoFolder {
    let path: String
    let spool: Spool

    /// - Returns: The path of the file.
    func save(_ file: SpooledFile, of capture: CaptureKey) async throws -> String {
        let key = FileKey(capture: capture, kind: file.kind)
        let bytes = try await spool.read(key, offset: 0, count: Int(file.byteCount))
        let url = URL(filePath: path).appending(path: "\(capture.shot)-\(file.kind.fileName)")
        try Data(bytes).write(to: url, options: .atomic)
        try await spool.release(key, digest: file.digest)
        return url.path(percentEncoded: false)
    }
}
