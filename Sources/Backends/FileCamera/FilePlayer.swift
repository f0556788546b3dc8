import CameraKit
import CaptureModel
import PosixSupport

/// Plays a recording on a thread of its own, `cam-` and the camera's name, where it may block on the disk.
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

    /// Finds and checks the images at `path`; none is read where the files are those of `known`, unchanged. Blocks on the
    /// disk.
    func open(_ path: String, known: RecordingIndex?) throws(RecordingProblem) -> Recording {
        let source = try RecordingSource(path: path)
        if let known, source.listing == known.listing { return Recording(source: source, index: known) }
        var scan = RecordingScan(source)
        return Recording(source: source, index: try scan.run())
    }

    /// Throws where this process may not read what `path` names. Blocks on the disk.
    func checkReadable(_ path: String) throws(RecordingProblem) {
        let source = try RecordingSource(path: path)
        do throws(PosixError) {
            try source.checkReadable()
        } catch {
            throw RecordingProblem(error)
        }
    }

    /// How a playback came to its end.
    enum End {
        /// It was cancelled, or nobody listens any more.
        case stopped
        /// The last image was shown, and the recording does not start again.
        case over
    }

    /// Shows images until one of these.
    func play(_ playback: Playback) async throws(RecordingProblem) -> End {
        var schedule = playback.schedule
        let bound = schedule.stampBound
        // A clock need not look at cancellation where its deadline has passed already.
        while !Task.isCancelled {
            switch schedule.step(now: playback.clock.now()) {
            case .end(let skipped):
                playback.report.lost(byDevice: skipped)
                return .over
            case .show(let slot):
                // Read before it is due, so that the disk delays nothing.
                let lease = FrameLease(try playback.recording.read(slot.image))
                do { try await playback.clock.sleep(until: slot.due) } catch { return .stopped }
                playback.report.lost(byDevice: slot.skipped)
                let frame = CameraFrame(
                    sequence: slot.sequence, midExposure: slot.due, stampBound: bound,
                    dequeued: playback.clock.now(), payload: .jpeg(lease))
                guard playback.report.hand(frame, to: playback.frames) else { return .stopped }
            }
        }
        return .stopped
    }
}
