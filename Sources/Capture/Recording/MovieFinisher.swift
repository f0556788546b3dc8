public import CaptureModel
import FaultPoints
import Movies
public import PosixSupport
public import Spool

/// Makes plain movies of a node's recordings that have ended, one after the other, on a thread of its own, and gives them to
/// their captures: a long movie takes as long as it takes to be read and written, and no other recording waits for it.
public actor MovieFinisher {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let clock: any TimeSource
    /// How often a movie is tried that the disk refuses: with the waits between, for about a minute.
    private static let attempts = 9

    /// - Parameters:
    ///   - executor: The thread that movies are finished on.
    ///   - clock: What is waited by where the disk refuses one.
    public init(executor: ThreadExecutor, clock: any TimeSource) {
        self.executor = executor
        self.clock = clock
    }

    /// The captures whose recordings earlier lives of the process left unfinished. Recordings that were given up are kept for
    /// people, those that no capture knows are removed. Call it before the sessions record anything.
    public func leftovers(in spool: Spool) async -> [CaptureKey] {
        var (owed, failed): ([CaptureKey], Set<CaptureKey>) = ([], [])
        for capture in await spool.inventory() {
            if capture.owedSegment != nil { owed.append(capture.key) }
            for case .movie(let segment) in capture.failed.map(\.kind) {
                failed.insert(capture.key)
                // What the disk refuses to move stays until it is forgotten that it failed, which moves it.
                _ = try? spool.setAside(segment, of: capture.key)
            }
        }
        spool.removeRecordings { !owed.contains($0) && !failed.contains($0) }
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
        return await finish(key, EndedRecording(ending: .init(end: .agentRestarted, problem: problem)), in: spool)
    }

    /// Finishes the files of a recording that are whole while it goes on, in order, up to this number.
    /// - Returns: The capture as it is since; nil where nothing has become of any of them.
    package func deliver(_ key: CaptureKey, through last: Int, in spool: Spool) async -> CaptureReport? {
        var report: CaptureReport?
        while let segment = await spool.report(of: key)?.owedSegment, segment.value <= last,
            let grown = await close(segment, of: key, nil, in: spool)
        {
            report = grown
        }
        return report
    }

    /// Finishes what there is of a recording that has ended, file by file.
    /// - Returns: The capture as it is since; nil where it was discarded meanwhile, or the task was cancelled: what is not
    ///   finished is still owed then.
    package func finish(_ key: CaptureKey, _ ended: EndedRecording, in spool: Spool) async -> CaptureReport? {
        while let segment = await spool.report(of: key)?.owedSegment {
            guard let report = await close(segment, of: key, ended, in: spool) else { break }
            if report.owedSegment == nil { return report }
        }
        if await spool.report(of: key) == nil { spool.removeRecordings { $0 == key } }
        return nil
    }

    /// How a recording ended, where this is its last file.
    private func ending(
        _ ended: EndedRecording?, at segment: SegmentNumber, of key: CaptureKey, in spool: Spool
    ) throws(CaptureProblem) -> EndedRecording? {
        guard let ended, try !spool.hasRecorded(after: segment, of: key) else { return nil }
        return ended
    }

    /// Finishes one file of a recording and makes it part of its capture, or records why that cannot be. What the disk refuses
    /// is tried again, since the recording is as it was; other movies are finished meanwhile.
    /// - Parameter ended: How the recording ended, where it has ended.
    /// - Returns: The capture as it is since; nil where it was discarded meanwhile, or the task was cancelled.
    private func close(
        _ segment: SegmentNumber, of key: CaptureKey, _ ended: EndedRecording?, in spool: Spool
    ) async -> CaptureReport? {
        var delay = RetryDelay(first: .seconds(2), last: .seconds(8))
        var left = Self.attempts
        let before = await spool.report(of: key)?.recorded ?? RecordingTally()
        while true {
            do throws(CaptureProblem) {
                let files = try finish(segment, of: key, in: spool)
                let tally = before.adding(try summary(of: segment, of: key, in: spool), segment)
                let ending = try ending(ended, at: segment, of: key, in: spool)
                return try await spool.add(files, of: segment, to: key, tally.sequel(ending))
            } catch {
                left -= 1
                if left > 0, error.isOfDisk, (try? await clock.sleep(for: delay.take())) != nil { continue }
                guard !Task.isCancelled else { return nil }
                // A disk that does not say whether there are further files is not asked for them one by one.
                let isFollowed = (try? spool.hasRecorded(after: segment, of: key)) ?? false
                return await giveUp(segment, of: key, before, isFollowed ? nil : ended, because: error, in: spool)
            }
        }
    }

    private func giveUp(
        _ segment: SegmentNumber, of key: CaptureKey, _ before: RecordingTally, _ ended: EndedRecording?,
        because error: CaptureProblem, in spool: Spool
    ) async -> CaptureReport? {
        let kept = error.isOfDisk ? "; what there is of it goes to \(spool.damagedPath)" : ""
        let reason = error.message + kept + (ended?.ending.problem.map { " (\($0.message))" } ?? "")
        var tally = before
        tally.segmentCount = segment.value
        // Of what was recorded before, the files tell; of nothing there is nothing to tell.
        let sequel: Spool.Sequel = before.frameCount == 0 && ended != nil ? .end(nil) : tally.sequel(ended)
        return await spool.giveUp(segment, of: key, CaptureProblem(error.code, reason), sequel)
    }

    private static func stem(_ key: CaptureKey, _ segment: SegmentNumber) -> String {
        RecordingFinisher.stem(Spool.recordingName(key), segment: segment.value)
    }

    private func finish(
        _ segment: SegmentNumber, of key: CaptureKey, in spool: Spool
    ) throws(CaptureProblem) -> [SpooledFile] {
        let stem = Self.stem(key, segment)
        let movieKey = FileKey(capture: key, kind: .movie(segment))
        let isAdopted = try spool.hasAdopted(movieKey)
        if !isAdopted {
            switch RecordingFinisher.recover(stem, in: spool.recordings) {
            case .finished, .empty, nil: break
            case .damaged(_, let error):
                if let path = try spool.setAside(segment, of: key) { throw Self.damaged(key, ": \(error)", path) }
            case .failed(_, let error): throw Self.problem(error.isOutOfSpace ? .noSpace : .inputOutput, key, error)
            }
        }
        let isFinished = try isAdopted ? true : spool.hasRecording(RecordingFinisher.movieName(stem))
        guard isFinished else {
            // An earlier attempt may have come no further.
            throw try spool.setAside(segment, of: key).map { Self.damaged(key, "", $0) }
                ?? CaptureProblem(.fileLost, "\(key.device): nothing of its recording was on the disk yet")
        }
        let frames = try spool.adopt(
            RecordingFinisher.sidecarName(stem), as: FileKey(capture: key, kind: .frames(segment)))
        return [try spool.adopt(RecordingFinisher.movieName(stem), as: movieKey), frames]
    }

    private static func damaged(_ key: CaptureKey, _ reason: String, _ path: String) -> CaptureProblem {
        CaptureProblem(
            .corrupted,
            "\(key.device): its recording cannot be finished\(reason); what there is of it is kept as \(path)")
    }

    private func summary(
        of segment: SegmentNumber, of key: CaptureKey, in spool: Spool
    ) throws(CaptureProblem) -> RecordingSummary {
        let sidecar = try spool.opened(FileKey(capture: key, kind: .frames(segment)))
        do throws(MovieError) {
            return try RecordingSummary(ofSidecar: sidecar)
        } catch {
            throw Self.problem(.inputOutput, key, error)
        }
    }

    private static func problem(_ code: CaptureProblem.Code, _ key: CaptureKey, _ error: MovieError) -> CaptureProblem {
        CaptureProblem(code, "\(key.device): its recording cannot be finished: \(error)")
    }
}

extension CaptureProblem {
    /// Whether the disk has refused something, which it may do better later.
    fileprivate var isOfDisk: Bool { code == .noSpace || code == .inputOutput }
}
