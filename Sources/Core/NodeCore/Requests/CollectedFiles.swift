package import CaptureModel
import Logging
import Spool

/// The files of this node's spool for a coordinator that collects them: gives what it asks for, and lets go of what it says is
/// durable in the library.
package struct CollectedFiles: Sendable {
    let spool: Spool
    /// Bytes of a chunk.
    let chunkLimit: Int
    let log: Logger

    /// What has become of a file at the coordinator.
    package enum Outcome: Hashable, Sendable {
        /// It is durable in the library, with this digest.
        case stored(ContentDigest)
        /// That it failed is durable in the shot's manifest.
        case failed
    }

    /// A part of a file.
    package func chunk(of file: FileKey, at offset: Int64, count: Int64) async -> Result<[UInt8], CaptureProblem> {
        guard (0...Int64(chunkLimit)).contains(count), offset >= 0 else {
            return .failure(CaptureProblem(.protocolViolation, "a chunk has at most \(chunkLimit) bytes"))
        }
        do {
            return .success(try await spool.read(file, offset: offset, count: Int(count)))
        } catch {
            return .failure(CaptureProblem(error))
        }
    }

    /// Lets go of a file. One that stays is offered again, and the coordinator says again what has become of it.
    /// - Returns: Whether it is gone.
    package func release(_ file: FileKey, _ outcome: Outcome) async -> Bool {
        do {
            switch outcome {
            case .stored(let digest): try await spool.release(file, digest: digest)
            case .failed: try await spool.forgetFailure(file)
            }
            return true
        } catch {
            log.error("a spool file is kept", metadata: ["file": "\(file)", "reason": "\(error)"])
            return false
        }
    }
}

extension CaptureProblem {
    /// The problem behind any error.
    init(_ error: any Error) {
        self = (error as? CaptureProblem) ?? CaptureProblem(.inputOutput, "\(error)")
    }
}
