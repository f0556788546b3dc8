import CaptureModel
import FaultPoints
import Movies
package import PosixSupport
import Spool

/// Writes one recording as its frames arrive, on the thread that writes those of all cameras. No camera waits for the
/// disk.
package actor MovieFileWriter {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The result of the writer.
    package struct Outcome: Sendable {
        /// Why it ended the recording on its own; nil if the frames ended.
        package var ending: RecordingEnding?
        package var silenceNanoseconds: Int64 = 0

        package init() {}
    }

    private nonisolated let executor: ThreadExecutor
    private nonisolated let request: RecordingRequest
    private var closedSegmentCount = 0
    private var recorder: MovieRecorder?
    private var soundTrack: MovieSoundTrack?
    private var reservation: SpoolReservation
    private var reservedAt: Int64 = 0
    private var lastSequence: UInt64?

    /// - Parameter executor: The thread on which recordings are written.
    package init(_ request: RecordingRequest, executor: ThreadExecutor) {
        self.request = request
        self.executor = executor
        reservation = request.reservation
    }

    /// Writes frames until they end, or the recording does. Reserved room in excess of the recording is released.
    package func record() async -> Outcome {
        defer { request.segments.finish() }
        var outcome = Outcome()
        do throws(RigProblem) {
            try await begin()
            outcome.ending = try await request.frames.forEach { frame throws(RigProblem) in
                await MovieFault.frame.reached()
                return try await write(frame)
            }
            try await finish()
        } catch {
            outcome.ending = RecordingEnding(
                end: error.code == .noSpace ? .diskNearlyFull : .failed, problem: error)
            // What was flushed is on the disk, whatever the outcome of the rest.
            _ = try? recorder?.stop()
        }
        outcome.silenceNanoseconds = silence
        reservation = (try? await request.spool.resize(reservation, to: request.segments.byteCount)) ?? reservation
        return outcome
    }

    private func begin() async throws(RigProblem) {
        var format = request.format
        if let source = request.sound {
            soundTrack = await MovieSoundTrack(source, from: request.start, rigClock: request.rigClock)
            format.sound = soundTrack?.format
        }
        let (folder, name) = (request.spool.recordings, Spool.recordingName(request.key))
        do throws(MovieError) {
            recorder = try MovieRecorder(to: folder, name: name, format: format, limits: request.limits)
        } catch {
            throw problem(error)
        }
    }

    /// - Returns: Why the recording has ended with this frame; nil if it continues.
    private func write(_ item: RecordableFrame) async throws(RigProblem) -> RecordingEnding? {
        let elapsed = max(0, (item.time.time - request.start).nanoseconds)
        let frame = recorded(item, at: elapsed)
        // Before its frames, because a flush fills in silence if sound is late. The first frame creates the file.
        let isLast = recorder?.closesFile(before: frame) == true
        if lastSequence != nil {
            try await writeSound(until: isLast ? elapsed : elapsed - MovieSoundTrack.delay, isLast: isLast)
        }
        do throws(MovieError) {
            guard try recorder?.write(frame) == true else { return ending }
        } catch {
            // A frame that is not a complete picture does not end the recording.
            guard error.code == .invalidInput else { throw problem(error) }
            return nil
        }
        lastSequence = item.sequence
        note(Int64(item.jpeg.count), elapsed)
        guard elapsed - reservedAt >= 1_000_000_000 else { return nil }
        reservedAt = elapsed
        try await reserve()
        return nil
    }

    /// Notes a written frame. Complete files are finished while the recording continues.
    private func note(_ byteCount: Int64, _ elapsed: Int64) {
        guard let recorder else { return }
        let segment = recorder.segmentNumber
        request.progress.withLock { progress in
            progress.frameCount += 1
            progress.byteCount += byteCount
            progress.durationNanoseconds = elapsed
            progress.segmentNumber = segment
        }
        request.segments.add(byteCount, to: segment)
        guard recorder.closedSegmentCount > closedSegmentCount else { return }
        closedSegmentCount = recorder.closedSegmentCount
        request.segments.close(through: closedSegmentCount)
    }

    /// Reserves the room for finishing, and the room left for stills.
    private func reserve() async throws(RigProblem) {
        do throws(RigProblem) {
            let (present, byteCount) = (reservation, request.segments.byteCount + request.headroom)
            reservation = try await request.spool.attempt { (spool) async throws(SpoolError) in
                try await spool.resize(present, to: byteCount)
            }
        } catch {
            let message = "\(request.device): its recording was ended to leave space for stills: \(error.message)"
            throw RigProblem(error.code, message)
        }
    }

    private func recorded(_ item: RecordableFrame, at elapsed: Int64) -> RecordedFrame {
        let sequence = item.sequence
        let dropped = lastSequence.map { sequence > $0 ? Int64(clamping: sequence - $0 - 1) : 0 } ?? 0
        return RecordedFrame(
            jpeg: item.jpeg, presentationTime: MovieTime.units(nanoseconds: elapsed),
            rigTimeNanoseconds: item.time.time.nanoseconds, boundNanoseconds: item.time.boundNanoseconds,
            number: Int64(clamping: sequence), exposureNanoseconds: item.exposure?.nanoseconds,
            gain: item.gain, settings: item.settings, droppedBefore: dropped)
    }

    /// Why the recorder accepts no more frames.
    private var ending: RecordingEnding? {
        switch recorder?.end {
        case .durationLimit: .init(end: .durationLimit)
        case .sizeLimit: .init(end: .sizeLimit)
        case .diskNearlyFull:
            .init(
                end: .diskNearlyFull,
                problem: RigProblem(
                    .noSpace,
                    "\(request.device): its recording was ended because the disk of \(request.spool.recordings.path) has less free space than the take must leave free (--min-free)"
                ))
        case .failed, .stopped, nil:
            .init(
                end: .failed,
                problem: recorder?.failure.map(problem)
                    ?? RigProblem(.inputOutput, "\(request.device): its recording accepts no more frames"))
        }
    }

    private func finish() async throws(RigProblem) {
        let last = request.progress.withLock { $0.durationNanoseconds }
        try await writeSound(until: last + request.interval.nanoseconds, isLast: true)
        do throws(MovieError) {
            _ = try recorder?.stop()
        } catch {
            throw problem(error)
        }
    }

    /// - Parameter isLast: Whether the file ends there.
    private func writeSound(until end: Int64, isLast: Bool) async throws(RigProblem) {
        let end = min(end, request.settings.maxRecordedDurationNanoseconds ?? .max)
        while let stretch = soundTrack?.advance(until: end, isLast: isLast), let track = soundTrack {
            let chunk = await track.sound(of: stretch)
            do throws(MovieError) {
                try recorder?.write(sound: chunk.samples, at: chunk.position)
            } catch {
                throw problem(error)
            }
        }
    }

    private var silence: Int64 {
        guard let format = soundTrack?.format, let result = recorder?.result else { return 0 }
        let samples = result.segments.reduce(0) { $0 + $1.silentSampleCount }
        return Self.nanoseconds(ofSamples: samples, sampleRate: format.sampleRate)
    }

    /// Returns the duration of a number of samples. Divides first, because the product of a few days' samples and 10⁹
    /// overflows 64 bits.
    static func nanoseconds(ofSamples samples: Int64, sampleRate: Int) -> Int64 {
        let rate = Int64(max(sampleRate, 1))
        let (seconds, rest) = samples.quotientAndRemainder(dividingBy: rate)
        return seconds * 1_000_000_000 + rest * 1_000_000_000 / rate
    }

    private func problem(_ error: MovieError) -> RigProblem {
        RigProblem(
            error.isOutOfSpace ? .noSpace : .inputOutput, "\(request.device): its recording failed: \(error)")
    }
}
