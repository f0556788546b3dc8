import CameraKit
import CaptureModel
import PosixSupport

/// Plays a recording on a separate thread, `cam-` and the camera's name, where it may block on the disk.
actor FilePlayer {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor

    init(name: String) throws(RecordingProblem) {
        do throws(PosixError) {
            executor = try ThreadExecutor(name: "cam-\(name)")
        } catch {
            throw RecordingProblem(error)
        }
    }

    /// Finds and checks the images at `path`. Reads none if the files are those of `known`, unchanged. Blocks on the
    /// disk.
    func open(_ path: String, known: RecordingIndex?) throws(RecordingProblem) -> Recording {
        let source = try RecordingSource(path: path)
        if let known, source.listing == known.listing { return Recording(source: source, index: known) }
        var scan = RecordingScan(source)
        return Recording(source: source, index: try scan.run())
    }

    /// Throws if this process may not read what `path` names. Blocks on the disk.
    func checkReadable(_ path: String) throws(RecordingProblem) {
        let source = try RecordingSource(path: path)
        do throws(PosixError) {
            try source.checkReadable()
        } catch {
            throw RecordingProblem(error)
        }
    }

    /// How a playback ended.
    enum End {
        /// It was cancelled, or its consumer is gone.
        case stopped
        /// The last image was shown, and the recording does not start again.
        case over
    }

    /// Shows images until one of these ends.
    func play(_ playback: Playback) async throws(RecordingProblem) -> End {
        var schedule = playback.schedule
        let bound = schedule.stampBound
        // A clock need not check cancellation if its deadline has already passed.
        while !Task.isCancelled {
            switch schedule.step(now: playback.clock.now()) {
            case .end(let skipped):
                playback.report.lost(byDevice: skipped)
                return .over
            case .show(let slot):
                // Read before it is due, so that the disk causes no delay.
                let lease = FrameLease(try playback.recording.read(slot.image))
                do { try await playback.clock.sleep(until: slot.due) } catch { return .stopped }
                playback.report.lost(byDevice: slot.skipped)
                if playback.recording.index.images[slot.image].isTrimmed { playback.report.trimmed() }
                let frame = CameraFrame(
                    sequence: slot.sequence, midExposure: slot.due, stampBound: bound,
                    dequeued: playback.clock.now(), payload: .jpeg(lease))
                guard playback.report.hand(frame, to: playback.frames) else { return .stopped }
            }
        }
        return .stopped
    }
}

/// The state that a file camera and its streams share: its holder, the index of its files, and whether it is over.
final class FileDevice: Sendable {
    let path: String
    private let state = Locked(State())

    private struct State {
        var isHeld = false
        var hasEnded = false
        var index: RecordingIndex?
    }

    init(path: String) {
        self.path = path
    }

    /// The index when the files were last read.
    var index: RecordingIndex? {
        get { state.withLock { $0.index } }
        set { state.withLock { $0.index = newValue } }
    }

    /// Acquires the camera, which must be released with ``release()``.
    func acquire() throws(CameraError) {
        let held = state.withLock { state in
            let before = state
            if !state.hasEnded { state.isHeld = true }
            return before
        }
        if held.isHeld { throw error(.busy, "open", "it is playing already; stop that stream first") }
        if held.hasEnded { throw ended("open") }
    }

    func release() {
        state.withLock { $0.isHeld = false }
    }

    /// Ends the recording. From here on it cannot be started, like an unplugged camera.
    /// - Returns: Why its stream ends.
    func end() -> CameraError {
        state.withLock { $0.hasEnded = true }
        return ended("play")
    }

    private func ended(_ operation: String) -> CameraError {
        error(
            .absent, operation,
            "the recording has been played to its end; set `loop: true` to repeat it, or start the program "
                + "again to play it once more")
    }

    func error(_ code: CameraError.Code, _ operation: String, _ reason: String) -> CameraError {
        CameraError(code, device: path, operation: operation, reason: reason)
    }

    func error(_ problem: RecordingProblem, _ operation: String) -> CameraError {
        error(problem.code, operation, problem.description)
    }
}

/// The recording, the schedule and the consumer of one stream of a file camera.
struct Playback: Sendable {
    let recording: Recording
    let schedule: PlaybackSchedule
    let clock: any TimeSource
    let report: StreamReport
    let frames: AsyncStream<CameraFrame>.Continuation
}

/// Decides which image is due when, for one stream. It has no clock: the caller passes the instants.
///
/// Frames are on a grid of the machine's clock. A looped recording runs through that grid independently of any viewer:
/// image `k mod count` at number `k`. Cameras with equally many images therefore show the same one at the same time,
/// whenever each was started. A recording that ends begins with its first image at the start.
struct PlaybackSchedule {
    /// A frame to be shown.
    struct ScheduledFrame: Hashable {
        /// Counts the frames of the stream from 0, continuing past the recording's end.
        var sequence: UInt64
        /// The number of the image in the recording.
        var image: Int
        var due: LocalTime
        /// Frames before this one that were too late to be shown.
        var skipped: UInt64
    }

    enum Step: Hashable {
        case show(ScheduledFrame)
        /// The recording is over. Carries the number of frames at its end that were too late.
        case end(skipped: UInt64)
    }

    private let grid: FrameGrid
    private let imageCount: Int
    private let loops: Bool
    private let first: Int64
    private var next: Int64

    /// - Parameters:
    ///   - imageCount: At least 1.
    ///   - start: No frame is due before it.
    init(_ grid: FrameGrid, imageCount: Int, loops: Bool, start: LocalTime) {
        self.grid = grid
        self.imageCount = imageCount
        self.loops = loops
        first = grid.firstIndex(notBefore: start)
        next = first
    }

    /// Half an interval, because the instant of an exposure within its interval is unknown.
    var stampBound: Duration { .nanoseconds(Int64(grid.interval / 2)) }

    /// Returns the frame after the last one, or a later one if more than ``DriverQueue/depth`` are overdue at `now`.
    mutating func step(now: LocalTime) -> Step {
        let behind = grid.intervals(in: now - grid.instant(next))
        let skipped = behind > DriverQueue.depth ? behind : 0
        let index = next &+ skipped
        let (played, count) = (index &- first, Int64(imageCount))
        if !loops, !(0..<count).contains(played) {
            return .end(skipped: UInt64(max(0, count &- (next &- first))))
        }
        next = index &+ 1
        let image = loops ? ((index % count) + count) % count : played
        return .show(
            ScheduledFrame(
                sequence: UInt64(max(0, played)), image: Int(image), due: grid.instant(index),
                skipped: UInt64(skipped)))
    }
}
