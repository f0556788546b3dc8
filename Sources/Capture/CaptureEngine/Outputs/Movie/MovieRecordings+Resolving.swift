import CameraKit
import CaptureModel
import PosixSupport
import Recording
import Spool

/// Whether a movie can be recorded, and what it takes.
extension MovieRecordings {
    /// - Parameter isArmed: Whether a movie is armed that has no frame yet.
    /// - Throws: Why there can be no recording, as the session stands, or none with these settings.
    func check(_ settings: MovieSettings, isArmed: Bool) throws(CaptureProblem) {
        if let obstacle = obstacle(isArmed: isArmed) { throw obstacle }
        if let problem = settings.problem { throw CaptureProblem(.unsupportedSettings, "\(device.id): \(problem)") }
    }

    private func obstacle(isArmed: Bool) -> CaptureProblem? {
        if session.services.movieOutput == nil {
            return CaptureProblem(
                .unsupportedSettings, "\(device.id): movies are not supported: this session has nothing to record with")
        }
        if session.ring.newest?.isMosaic == true {
            return CaptureProblem(
                .unsupportedSettings,
                "\(device.id): movies are not supported: the frames of its stream are carried without pictures")
        }
        return isArmed || needsStream
            ? CaptureProblem(.conflict, "\(device.id) is recording already; stop that take first") : nil
    }

    /// What is recorded at the moment; nil while nothing is.
    var progress: RecordingProgress? {
        recordings.values.first(where: \.isRecording)?.request.progress.withLock { $0 }
    }

    func describe(_ condition: inout SessionCondition) {
        condition.recording = progress
        if session.isRunning, !recordings.isEmpty {
            condition.abilities.switchInput = .refused("a movie is being recorded")
        }
    }

    /// - Parameter isArmed: Whether a movie is armed that has no frame yet.
    func ability(isArmed: Bool) -> SessionAbilities.Ability {
        guard session.isRunning else { return .refused(session.stateDescription) }
        if let obstacle = obstacle(isArmed: isArmed) { return .refused(obstacle.message) }
        guard let usage = session.spool.lastUsage, usage.availableBytes < room else { return .allowed }
        return .refused(
            "the spool has \(usage.availableBytes) bytes left, and a recording begins with \(room); free space on its disk, or let the coordinator collect"
        )
    }

    /// What is set aside ahead of a recording: ten seconds of it, and what stays for stills.
    var room: Int64 {
        let frames = Int64(Duration.seconds(10) / max(session.interval, .milliseconds(1)))
        return session.policy.movieHeadroom + frames * Int64(session.ring.meanByteCount)
    }

    /// Room for the beginning of a recording. Since that is more than a still needs, movies are refused before stills.
    func reserve(_ movie: MovieSettings) async throws(CaptureProblem) -> SpoolReservation {
        let (room, spool) = (room, session.spool)
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
