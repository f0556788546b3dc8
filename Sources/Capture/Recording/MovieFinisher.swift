public import CaptureModel
import FaultPoints
import Movies
public import PosixSupport
public import Spool

/// Makes plain movies from a node's ended recordings, one after the other, on a separate thread, and adds them to their
/// captures. A long movie takes the time to read and write it, and no other recording waits for it.
public actor MovieFinisher {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let clock: any TimeSource
    /// Number of attempts at a movie that the disk refuses: with the delays, for about a minute.
    private static let attempts = 9

    /// - Parameters:
    ///   - executor: The thread on which movies are finished.
    ///   - clock: The clock for the delays after the disk refuses one.
    public init(executor: ThreadExecutor, clock: any TimeSource) {
        self.executor = executor
        self.clock = clock
    }

    /// Returns the captures whose recordings earlier runs of the process left unfinished. Recordings that were given up
    /// are kept for people; those that no capture knows are removed. Call it before the sessions record anything.
    public func leftovers(in spool: Spool) async -> [CaptureKey] {
        var (owed, failed): ([CaptureKey], Set<CaptureKey>) = ([], [])
        for capture in await spool.inventory() {
            if capture.owedSegment != nil { owed.append(capture.key) }
            for case .movie(let segment) in capture.failed.map(\.kind) {
                failed.insert(capture.key)
                // A file that the disk refuses to move stays until its failure is released, which moves it.
                _ = try? spool.setAside(segment, of: capture.key)
            }
        }
        spool.removeRecordings { !owed.contains($0) && !failed.contains($0) }
        return owed
    }

    /// Finishes a recording that was cut off by the end of the process.
    /// - Returns: Its capture, with its movie or the reason why there is none; nil if it was discarded during the work.
    public func recover(_ key: CaptureKey, in spool: Spool) async -> CaptureReport? {
        await MovieFault.leftover.reached()
        let problem = RigProblem(
            .agentRestarted,
            "the agent of node '\(key.device.node)' ended while \(key.device) was recording, and was restarted; its movie has the frames that were on the disk"
        )
        return await finish(key, EndedRecording(ending: .init(end: .agentRestarted, problem: problem)), in: spool)
    }

    /// Finishes the complete files of a continuing recording, in order, up to this number.
    /// - Returns: The updated capture; nil if no file was finished or given up.
    package func deliver(_ key: CaptureKey, through last: Int, in spool: Spool) async -> CaptureReport? {
        var report: CaptureReport?
        while let segment = await spool.report(of: key)?.owedSegment, segment.value <= last,
            let grown = await close(segment, of: key, nil, in: spool)
        {
            report = grown
        }
        return report
    }

    /// Finishes the files of a recording that has ended, one by one.
    /// - Returns: The updated capture; nil if it was discarded during the work, or if the task was cancelled. Files that are
    ///   not finished are still owed then.
    package func finish(_ key: CaptureKey, _ ended: EndedRecording, in spool: Spool) async -> CaptureReport? {
        while let segment = await spool.report(of: key)?.owedSegment {
            guard let report = await close(segment, of: key, ended, in: spool) else { break }
            if report.owedSegment == nil { return report }
        }
        if await spool.report(of: key) == nil { spool.removeRecordings { $0 == key } }
        return nil
    }

    /// Returns how a recording ended, if this is its last file.
    private func ending(
        _ ended: EndedRecording?, at segment: SegmentNumber, of key: CaptureKey, in spool: Spool
    ) throws(RigProblem) -> EndedRecording? {
        guard let ended else { return nil }
        let isFollowed = try spool.attempt { (spool) throws(SpoolError) in
            try spool.hasRecorded(after: segment, of: key)
        }
        return isFollowed ? nil : ended
    }

    /// Finishes one file of a recording and adds it to its capture, or records why that is not possible. If the disk
    /// refuses, it is retried, because the recording is unchanged; other movies are finished between the attempts.
    /// - Parameter ended: How the recording ended, if it has ended.
    /// - Returns: The updated capture; nil if it was discarded during the work, or if the task was cancelled.
    private func close(
        _ segment: SegmentNumber, of key: CaptureKey, _ ended: EndedRecording?, in spool: Spool
    ) async -> CaptureReport? {
        var delay = RetryDelay(first: .seconds(2), last: .seconds(8))
        var left = Self.attempts
        let report = await spool.report(of: key)
        let before = report?.recorded ?? RecordingTally()
        let interval = report?.resolved.streamFormat.frameInterval ?? .zero
        while true {
            do throws(RigProblem) {
                let files = try finish(segment, of: key, in: spool)
                let summary = try summary(of: segment, of: key, interval, in: spool)
                let tally = before.adding(summary, segment, interval: interval)
                let ending = try ending(ended, at: segment, of: key, in: spool)
                return try await spool.attempt { (spool) async throws(SpoolError) in
                    try await spool.add(files, of: segment, to: key, tally.continuation(ending))
                }
            } catch {
                left -= 1
                if left > 0, error.isOfDisk, (try? await clock.sleep(for: delay.advance())) != nil { continue }
                guard !Task.isCancelled else { return nil }
                // A disk that does not report whether there are later files is not asked for them one by one.
                let isFollowed = (try? spool.hasRecorded(after: segment, of: key)) ?? false
                return await giveUp(segment, of: key, before, isFollowed ? nil : ended, because: error, in: spool)
            }
        }
    }

    private func giveUp(
        _ segment: SegmentNumber, of key: CaptureKey, _ before: RecordingTally, _ ended: EndedRecording?,
        because error: RigProblem, in spool: Spool
    ) async -> CaptureReport? {
        let kept = error.isOfDisk ? "; its remains are moved to \(spool.damagedPath)" : ""
        let reason = error.message + kept + (ended?.ending.problem.map { " (\($0.message))" } ?? "")
        var tally = before
        tally.segmentCount = segment.value
        // Earlier files carry the recording's data; without any, there is nothing to report.
        let sequel: Spool.Continuation = before.frameCount == 0 && ended != nil ? .end(nil) : tally.continuation(ended)
        return await spool.giveUp(segment, of: key, RigProblem(error.code, reason), sequel)
    }

    private static func stem(_ key: CaptureKey, _ segment: SegmentNumber) -> String {
        RecordingFinisher.stem(Spool.recordingName(key), segment: segment.value)
    }

    private func finish(
        _ segment: SegmentNumber, of key: CaptureKey, in spool: Spool
    ) throws(RigProblem) -> [SpooledFile] {
        let stem = Self.stem(key, segment)
        let movieKey = FileKey(capture: key, kind: .movie(segment))
        let isAdopted = try spool.attempt { (spool) throws(SpoolError) in try spool.hasAdopted(movieKey) }
        if !isAdopted {
            switch RecordingFinisher.recover(stem, in: spool.recordings) {
            case .finished, .empty, nil: break
            case .damaged(_, let error):
                if let path = try setAside(segment, of: key, in: spool) { throw Self.damaged(key, ": \(error)", path) }
            case .failed(_, let error): throw Self.problem(error.isOutOfSpace ? .noSpace : .inputOutput, key, error)
            }
        }
        let isFinished = try spool.attempt { (spool) throws(SpoolError) in
            try isAdopted ? true : spool.hasRecording(RecordingFinisher.movieName(stem))
        }
        guard isFinished else {
            // An earlier attempt may have ended at this point.
            throw try setAside(segment, of: key, in: spool).map { Self.damaged(key, "", $0) }
                ?? RigProblem(.fileLost, "\(key.device): nothing of its recording was on the disk yet")
        }
        return try spool.attempt { (spool) throws(SpoolError) in
            let frames = try spool.adopt(
                RecordingFinisher.sidecarName(stem), as: FileKey(capture: key, kind: .frames(segment)))
            return [try spool.adopt(RecordingFinisher.movieName(stem), as: movieKey), frames]
        }
    }

    /// Keeps the parts of one file of a recording for people.
    /// - Returns: The path of its movie; nil if there is none.
    private func setAside(
        _ segment: SegmentNumber, of key: CaptureKey, in spool: Spool
    ) throws(RigProblem) -> String? {
        try spool.attempt { (spool) throws(SpoolError) in try spool.setAside(segment, of: key) }
    }

    private static func damaged(_ key: CaptureKey, _ reason: String, _ path: String) -> RigProblem {
        RigProblem(
            .corrupted,
            "\(key.device): its recording cannot be finished\(reason); its remains are kept as \(path)")
    }

    private func summary(
        of segment: SegmentNumber, of key: CaptureKey, _ interval: Duration, in spool: Spool
    ) throws(RigProblem) -> RecordingSummary {
        let sidecar = try spool.attempt { (spool) throws(SpoolError) in
            try spool.opened(FileKey(capture: key, kind: .frames(segment)))
        }
        do throws(MovieError) {
            return try RecordingSummary(ofSidecar: sidecar, interval: interval)
        } catch {
            throw Self.problem(.inputOutput, key, error)
        }
    }

    private static func problem(_ code: RigProblem.Code, _ key: CaptureKey, _ error: MovieError) -> RigProblem {
        RigProblem(code, "\(key.device): its recording cannot be finished: \(error)")
    }
}

extension RigProblem {
    /// Whether the disk has refused an operation that may succeed later.
    fileprivate var isOfDisk: Bool { code == .noSpace || code == .inputOutput }
}
