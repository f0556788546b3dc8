import CaptureEngine
package import CaptureModel
import Logging
import Recording
import Spool

/// The files of this node's spool for a coordinator that collects them. Provides the requested chunks, and releases
/// files that are durable in the library.
package struct CollectedFiles: Sendable {
    let spool: Spool
    let sessions: [CaptureSession]
    /// Bytes in a chunk.
    let chunkLimit: Int
    let log: Logger

    /// The outcome of a file at the coordinator.
    package enum Outcome: Hashable, Sendable {
        /// It is durable in the library, with this digest.
        case stored(ContentDigest)
        /// The failure of the file is durable in the shot's manifest.
        case failed
    }

    /// Returns a part of a file.
    package func chunk(of file: FileKey, at offset: Int64, count: Int64) async -> Result<[UInt8], RigProblem> {
        guard (0...Int64(chunkLimit)).contains(count), offset >= 0 else {
            return .failure(RigProblem(.protocolViolation, "a chunk has at most \(chunkLimit) bytes"))
        }
        do throws(SpoolError) {
            return .success(try await spool.read(file, offset: offset, count: Int(count)))
        } catch {
            return .failure(RigProblem(error))
        }
    }

    /// Releases a file. A file that stays is offered again, and the coordinator reports its outcome again.
    /// - Returns: Whether the file is gone.
    package func release(_ file: FileKey, _ outcome: Outcome) async -> Bool {
        do {
            switch outcome {
            case .stored(let digest):
                try await spool.release(file, digest: digest)
                await sessions.first { $0.device.id == file.capture.device }?.isDurable(file)
            case .failed: try await spool.forgetFailure(file)
            }
            return true
        } catch {
            log.error("a spool file is kept", metadata: ["file": "\(file)", "reason": "\(error)"])
            return false
        }
    }
}
