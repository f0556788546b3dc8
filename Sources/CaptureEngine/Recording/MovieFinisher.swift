public import CaptureModel
import FaultPoints
import Movies
public import PosixSupport
public import Spool

/// Makes plain movies of a node's recordings that have ended, one after the other, on a thread of its own, and gives them to
/// their captures: a long movie takes as long as it takes to be read and written, and no other recording waits for it.
public actor MovieFinisher {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: FileExecutor
    private nonisolated let clock: any TimeSource
    /// How often a movie is tried that the disk refuses: with the waits between, for about a minute.
    private static let attempts = 9

    /// - Parameters:
    ///   - executor: The thread that movies are finished on.
    ///   - clock: What is waited by where the disk refuses one.
    public init(executor: FileExecutor, clock: any TimeSource) {
        self.executor = executor
        self.clock = clock
    }

    /// The captures whose recordings earlier lives of the process left unfinished. Recordings that no capture waits for are
    /// removed. Call it before the sessions record anything.
    public func leftovers(in spool: Spool) async -> [CaptureKey] {
        let owed = await spool.inventory().filter { $0.owed.contains(.movie) }.map(\.key)
        spool.removeRecordings { !owed.contains($0) }
        return owed
    }

    /// Finishes a recording that was cut off by the end of the process.
    /// - Returns: Its capture, with its movie or with why there is none; nil where it was discarded meanwhile.
    public func recover(_ key: CaptureKey, in spool: Spool) async -> CaptureReport? {
        await MovieFault.leftover.reached()
        let problem = CaptureProblem(
            .agentRestarted,
            "the agent of node '\(key.device.node)' ended while \(key.device) was recording, and was restarted; its movie has what was on the disk"
        )
        return await settle(key, EndedRecording(ending: .init(end: .agentRestarted, problem: problem)), in: spool)
    }

    /// Finishes a recording and makes it part of its capture, or records why that cannot be. What the disk refuses is tried
    /// again, since the recording is as it was; other movies are finished meanwhile.
    /// - Returns: The capture as it is since; nil where it was discarded meanwhile, or the task was cancelled: the movie is
    ///   still owed then.
    func settle(_ key: CaptureKey, _ ended: EndedRecording, in spool: Spool) async -> CaptureReport? {
        var delay = RetryDelay(first: .seconds(2), last: .seconds(8))
        var left = Self.attempts
        while true {
            do throws(CaptureProblem) {
                let (files, movie) = try deliver(key, ended, in: spool)
                return try await spool.addMovie(files, movie, to: key)
            } catch {
                left -= 1
                if left > 0, error.isOfDisk, (try? await clock.sleep(for: delay.take())) != nil { continue }
                guard !Task.isCancelled else { return nil }
                let reason = ended.ending.problem.map { "\(error.message) (\($0.message))" } ?? error.message
                return await spool.giveUpMovie(of: key, CaptureProblem(error.code, reason))
            }
        }
    }

    private func deliver(
        _ key: CaptureKey, _ ended: EndedRecording, in spool: Spool
    ) throws(CaptureProblem) -> ([SpooledFile], RecordedMovie) {
        let stem = RecordingFinisher.firstStem(Spool.recordingName(key))
        let (movieKey, framesKey) = (FileKey(capture: key, kind: .movie), FileKey(capture: key, kind: .frames))
        if !spool.hasAdopted(movieKey), RecordingFinisher.isUnfinished(stem, in: spool.recordings) {
            switch RecordingFinisher.recover(stem, in: spool.recordings) {
            case .finished, .empty: break
            case .damaged(_, let error): throw Self.problem(.corrupted, key, error)
            case .failed(_, let error): throw Self.problem(error.isOutOfSpace ? .noSpace : .inputOutput, key, error)
            }
        }
        guard spool.hasAdopted(movieKey) || spool.hasRecording(RecordingFinisher.movieName(stem)) else {
            throw CaptureProblem(.fileLost, "\(key.device): nothing of its recording was on the disk yet")
        }
        let frames = try spool.adopt(RecordingFinisher.sidecarName(stem), as: framesKey)
        let movie = try spool.adopt(RecordingFinisher.movieName(stem), as: movieKey)
        return ([movie, frames], try describe(key, ended, in: spool))
    }

    private func describe(
        _ key: CaptureKey, _ ended: EndedRecording, in spool: Spool
    ) throws(CaptureProblem) -> RecordedMovie {
        let sidecar = try spool.opened(FileKey(capture: key, kind: .frames))
        let summary: RecordingSummary
        do throws(MovieError) {
            summary = try RecordingSummary(ofSidecar: sidecar)
        } catch {
            throw Self.problem(.inputOutput, key, error)
        }
        return RecordedMovie(
            frameCount: summary.frameCount, missingFrames: Int(clamping: summary.missingFrameCount),
            droppedFrames: ended.droppedFrames,
            durationNanoseconds: MovieTime.microseconds(units: summary.lastTime) * 1000,
            silenceNanoseconds: ended.silenceNanoseconds, end: ended.ending.end, problem: ended.ending.problem,
            note: ended.ending.note)
    }

    private static func problem(_ code: CaptureProblem.Code, _ key: CaptureKey, _ error: MovieError) -> CaptureProblem {
        CaptureProblem(code, "\(key.device): its recording cannot be finished: \(error)")
    }
}

extension CaptureProblem {
    /// Whether the disk has refused something, which it may do better later.
    fileprivate var isOfDisk: Bool { code == .noSpace || code == .inputOutput }
}

/// A recording whose files are written, as its session or its writer ended it.
struct EndedRecording: Sendable {
    var ending: RecordingInProgress.Ending
    var droppedFrames = 0
    var silenceNanoseconds: Int64 = 0
}
