import CameraKit
import CaptureModel
import PosixSupport
import Spool

/// Whether a movie can be recorded, and what it takes.
extension CaptureSession {
    /// - Throws: Why there can be no recording, as the session stands, or none with these settings.
    func checkMovie(_ settings: MovieSettings) throws(CaptureProblem) {
        if let obstacle = movieObstacle { throw obstacle }
        if let problem = settings.problem { throw CaptureProblem(.unsupportedSettings, "\(device.id): \(problem)") }
    }

    private var movieObstacle: CaptureProblem? {
        if movieOutput == nil {
            return CaptureProblem(
                .unsupportedSettings, "\(device.id): movies are not supported: this session has nothing to record with")
        }
        if ring.newest?.isMosaic == true {
            return CaptureProblem(
                .unsupportedSettings,
                "\(device.id): movies are not supported: the frames of its stream are carried without pictures")
        }
        let isTaken = pending.values.contains { $0.order.settings.movie != nil } || isRecordingMovie
        return isTaken
            ? CaptureProblem(.conflict, "\(device.id) is recording already; stop that take first") : nil
    }

    private var isRecordingMovie: Bool { recordings.values.contains { $0.ending == nil } }

    /// What is recorded at the moment; nil while nothing is.
    var recordingProgress: RecordingProgress? {
        recordings.values.first { $0.ending == nil }?.request.progress.withLock { $0 }
    }

    var recordAbility: SessionAbilities.Ability {
        guard isRunning else { return .refused(stateDescription) }
        if let movieObstacle { return .refused(movieObstacle.message) }
        guard let usage = spool.lastUsage, usage.availableBytes < movieRoom else { return .allowed }
        return .refused(
            "the spool has \(usage.availableBytes) bytes left, and a recording begins with \(movieRoom); free space on its disk, or let the coordinator collect"
        )
    }

    /// What is set aside ahead of a recording: ten seconds of it, and what stays for stills.
    var movieRoom: Int64 {
        let frameByteCount = Int64(ring.byteCount / max(ring.count, 1))
        let frames = Int64(Duration.seconds(10) / max(interval.value, .milliseconds(1)))
        return policy.movieHeadroom + frames * frameByteCount
    }

    /// Room for the beginning of a recording. Since that is more than a still needs, movies are refused before stills.
    func reserveMovie(_ movie: MovieSettings) async throws(CaptureProblem) -> SpoolReservation {
        let room = movieRoom
        if let limit = movie.minFreeDiskSpaceLimit, let free = await spool.usage().freeBytes, free < limit {
            throw CaptureProblem(
                .noSpace,
                "\(device.id): no recording is begun: the disk of \(spool.recordings.path) has \(free) bytes free, and the take leaves \(limit) free (--min-free)"
            )
        }
        do throws(CaptureProblem) {
            return try await spool.reserve(byteCount: room)
        } catch {
            throw CaptureProblem(error.code, "\(device.id): no recording is begun: \(error.message)")
        }
    }
}
