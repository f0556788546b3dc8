public import CaptureModel
public import Movies
public import PosixSupport
public import Recording
import Spool

/// A recording that has begun, after AVFoundation's `AVCaptureMovieFileOutput` and its delegate; created by
/// ``CaptureSession/startRecording(with:at:utcOffsetMinutes:)``. It continues whether this value is kept or not.
public struct MovieRecording: Sendable {
    /// The capture to which the movie belongs.
    public let id: CaptureKey
    /// The settings announced before T.
    public let resolved: ResolvedPhotoSettings
    /// The movie's first frame.
    public let firstFrame: FrameTiming
    private let session: CaptureSession
    private let events: CaptureEvents

    init(_ events: CaptureEvents, of session: CaptureSession, resolved: ResolvedPhotoSettings, firstFrame: FrameTiming)
    {
        id = events.id
        self.events = events
        self.session = session
        self.resolved = resolved
        self.firstFrame = firstFrame
    }

    /// Ends the recording at an instant: no frame exposed at it or later is in the movie. The first instant counts.
    /// Does nothing after the recording has ended.
    /// - Parameter instant: On this machine's clock; nil means the present. An instant in the past ends the movie at
    ///   once, and its ``RecordedMovie/note`` says so.
    public func stop(at instant: LocalTime? = nil) async {
        // Without an estimate of rig time, the recording has already ended.
        guard let time = session.rigClock.rigTime(at: instant ?? session.clock.now())?.time else { return }
        await session.stopRecording(id, at: time)
    }

    /// Waits until the recording has ended and its movie is finished. For one caller.
    /// - Returns: The capture, whose files are in the session's spool. ``RecordedMovie/end`` is what ended it, and
    ///   ``RecordedMovie/problem`` why it ended early, if it did; the movie is complete up to there.
    /// - Throws: Why there is no movie.
    public func finished() async throws(RigProblem) -> CaptureReport {
        var problem: RigProblem?
        for await event in events {
            if case .didFinishCapture(let reason) = event.step { problem = reason }
        }
        if let report = await session.spool.report(of: id), report.movie != nil { return report }
        throw problem ?? RigProblem(.discarded, "\(id.device): its recording was removed from the spool")
    }
}

/// Records the cameras of a node into movies, after AVFoundation's `AVCaptureMovieFileOutput`. Their sessions share it.
public struct MovieFileOutput: Sendable {
    /// The thread on which all recordings are written.
    let writing: ThreadExecutor
    let finisher: MovieFinisher
    /// Why no movie can be recorded on this machine, and what mends it; nil if one can.
    let obstacle: String?

    /// - Parameters:
    ///   - writing: The thread on which frames are written as they arrive.
    ///   - finisher: Finishes recordings.
    ///   - obstacle: Why no movie can be recorded on this machine; nil if one can.
    public init(writing: ThreadExecutor, finisher: MovieFinisher, obstacle: String? = MovieSupport.obstacle()) {
        self.writing = writing
        self.finisher = finisher
        self.obstacle = obstacle
    }
}

/// Whether a movie can be recorded, and the room that it needs.
extension MovieRecordings {
    /// - Parameter isArmed: Whether a movie is armed that has no frame yet.
    /// - Throws: Why no recording is possible in the session's present state, or with these settings.
    func check(_ settings: MovieSettings, isArmed: Bool) throws(RigProblem) {
        if let obstacle = obstacle(isArmed: isArmed) { throw obstacle }
        if let problem = settings.problem { throw RigProblem(.unsupportedSettings, "\(device.id): \(problem)") }
    }

    private func obstacle(isArmed: Bool) -> RigProblem? {
        guard let output = session.services.movieOutput else {
            return RigProblem(
                .unsupportedSettings, "\(device.id): movies are not supported: this session cannot record")
        }
        guard session.hasFrames else {
            return RigProblem(
                .unsupportedSettings, "\(device.id): movies are not supported: the camera has no stream")
        }
        if let obstacle = output.obstacle { return RigProblem(.unsupportedSettings, "\(device.id): \(obstacle)") }
        if session.ring.newest?.isMosaic == true {
            return RigProblem(
                .unsupportedSettings,
                "\(device.id): movies are not supported: the frames of its stream contain no pictures")
        }
        return isArmed || needsStream
            ? RigProblem(.conflict, "\(device.id) is recording already; stop that take first") : nil
    }

    /// The progress of the present recording; nil if there is none.
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
        if let obstacle = usage.obstacle { return .refused(obstacle) }
        return .refused(
            "the spool has \(usage.availableBytes) bytes left, and a recording needs \(room) to begin; free space on its disk, or let the coordinator collect"
        )
    }

    /// The bytes reserved before a recording: ten seconds of it, and the room left for stills.
    var room: Int64 {
        let frames = Int64(Duration.seconds(10) / max(session.interval, .milliseconds(1)))
        return session.policy.movieHeadroom + frames * Int64(session.ring.meanByteCount)
    }

    /// Reserves room for the start of a recording. This is more than a still needs, so movies are refused before
    /// stills.
    func reserve(_ movie: MovieSettings) async throws(RigProblem) -> SpoolReservation {
        let (room, spool) = (room, session.spool)
        if let limit = movie.minFreeDiskSpaceLimit, let free = await spool.usage().disk?.freeBytes, free < limit {
            throw RigProblem(
                .noSpace,
                "\(device.id): the recording was not started: the disk of \(spool.recordings.path) has \(free) bytes free, and the take must leave \(limit) free (--min-free)"
            )
        }
        do throws(RigProblem) {
            return try await spool.attempt { (spool) async throws(SpoolError) in
                try await spool.reserve(byteCount: room)
            }
        } catch {
            throw RigProblem(error.code, "\(device.id): the recording was not started: \(error.message)")
        }
    }
}
