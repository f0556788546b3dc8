import CameraKit
public import CaptureModel
import FaultPoints
import Recording
import Spool

/// Movies of takes. The table is in `docs/design/recording.md`.
extension CaptureSession {
    /// Waits for the first frame at or after T, records durably that a movie is owed, and begins it.
    func startRecording(_ capture: PendingCapture) async -> CaptureResult {
        let (order, key) = (capture.order, capture.order.key)
        do throws(CaptureProblem) {
            let first = try await firstFrame(of: order)
            let timing = try timing(of: first, order: order)
            pending[key]?.isChosen = true
            let report = try await spool.store(
                key, resolved: capture.resolved, timing: timing, files: [], owed: AssetKind.ofMovie)
            await MovieFault.owed.reached()
            await beginRecording(capture, from: first)
            await tell([.recording(key, .didStartRecording(timing))])
            return .captured(report)
        } catch {
            await close(key, with: error)
            return .missed(key, error)
        }
    }

    /// How long after T the first frame may come; a camera that drops one at T is not left out for it.
    private static let longestBeginning = Duration.seconds(2)

    private func firstFrame(of order: CaptureOrder) async throws(CaptureProblem) -> RingFrame {
        let alarm = Alarm(clock: clock)
        pending[order.key]?.alarm = alarm
        let start = rigClock.localTime(at: order.time) ?? clock.now()
        let limit = start + Self.longestBeginning
        while !Task.isCancelled {
            try checkUnderWay(order)
            try checkFrames(of: order)
            if let newest = ring.newest, newest.midExposure >= start,
                let first = ring.frames(in: start...newest.midExposure).first
            {
                return first
            }
            guard clock.now() < limit else {
                throw CaptureProblem(
                    .noFrameNearTime, "\(device.id): no good frame came within \(Self.longestBeginning) after T")
            }
            await MovieFault.firstFrame.reached()
            await alarm.wait(until: limit)
        }
        throw shuttingDown
    }

    /// Hands the frames from the first one on, and those to come, to a writer.
    private func beginRecording(_ capture: PendingCapture, from first: RingFrame) async {
        let key = capture.order.key
        guard let present = pending[key] else {
            _ = await spool.giveUpMovie(of: key, shuttingDown)
            return
        }
        let (order, resolved) = (capture.order, capture.resolved)
        let request = RecordingRequest(
            key: key, start: order.time, settings: order.settings.movie ?? MovieSettings(),
            realtimeAtStart: order.realtimeAtTime, utcOffsetMinutes: order.utcOffsetMinutes, resolved: resolved,
            interval: interval.value, rigClock: rigClock, spool: spool, reservation: capture.reservation,
            headroom: movieRoom, sound: resolved.movie?.hasSound == true ? clipSound : nil,
            byteLimit: policy.movieQueueByteLimit)
        recordings[key] = RecordingInProgress(
            order: order, resolved: resolved, teller: capture.teller, lifeCycle: present.lifeCycle, request: request,
            stop: present.stop)
        // Nothing may come between the look at the ring and the frames that follow. The first one was chosen, and told, by what
        // was known of the clock then, and stays the first, though it may be known since to lie a little before T.
        for frame in ring.frames(in: first.midExposure...(ring.newest?.midExposure ?? first.midExposure)) {
            record(frame)
        }
        ring.unpin(key)
        pending.removeValue(forKey: key)?.alarm?.ring()
        if !isRunning { interruptRecordings(because: stateDescription) }
        if isServing { movieOrder.yield(request) } else { await finish(request, MovieFileWriter.Outcome()) }
    }

    /// Takes a frame of the stream into the recordings that it belongs to.
    func record(_ frame: RingFrame) {
        for key in recordings.keys where recordings[key]?.ending == nil { record(frame, key) }
    }

    private func record(_ frame: RingFrame, _ key: CaptureKey) {
        guard let recording = recordings[key] else { return }
        guard rigClock.clockID == recording.order.rigClock, let time = rigClock.rigTime(at: frame.midExposure) else {
            let why = "the rig time line of its take has ended with its coordinator's machine"
            return endRecording(key, .init(end: .interrupted, problem: brokenRecording(.unsynchronized, why)))
        }
        if let stop = recording.stop, time.time >= stop { return endRecording(key, .init(end: .stopped)) }
        recordings[key]?.newest = time.time
        guard let picture = frame.picture else { return }
        let bounded = BoundedRigTime(time: time.time, bound: time.bound + frame.stampBound)
        let recordable = RecordableFrame(
            sequence: frame.sequence, time: bounded, exposure: frame.exposure, gain: frame.gain, jpeg: picture.jpeg)
        if !recording.request.frames.offer(recordable) { recordings[key]?.droppedFrames += 1 }
    }

    /// Ends a recording at an instant: no frame exposed at it or later is in the movie. The first instant counts. Where frames
    /// after it have been recorded already, it ends at once, and its movie says so.
    public func stopRecording(_ key: CaptureKey, at instant: RigTime) {
        if pending[key]?.stop == nil { pending[key]?.stop = instant }
        guard let recording = recordings[key], recording.ending == nil, recording.stop == nil else { return }
        recordings[key]?.stop = instant
        guard let newest = recording.newest, newest >= instant else { return }
        let late = "the order to stop came \(newest - instant) after its instant: the movie goes on until then"
        endRecording(key, .init(end: .stopped, note: late))
    }

    /// Ends every recording, since its frames have come to an end before its time.
    func interruptRecordings(because reason: String) {
        for key in recordings.keys where recordings[key]?.ending == nil {
            let problem = brokenRecording(.deviceLost, reason)
            endRecording(key, hasEnded(key) ? .init(end: .stopped) : .init(end: .interrupted, problem: problem))
        }
    }

    /// Ends every recording, since the node is about to end; their movies are finished.
    public func endRecordings() {
        interruptRecordings(because: "its agent was ended")
    }

    /// Whether no further frame of a recording is to be expected before its stop.
    private func hasEnded(_ key: CaptureKey) -> Bool {
        guard let stop = recordings[key]?.stop, let newest = recordings[key]?.newest else { return false }
        return stop - newest <= interval.value * 2
    }

    private func brokenRecording(_ code: CaptureProblem.Code, _ reason: String) -> CaptureProblem {
        CaptureProblem(code, "\(device.id): its recording was cut off: \(reason)")
    }

    private func endRecording(_ key: CaptureKey, _ ending: RecordingEnding) {
        recordings[key]?.ending = ending
        recordings[key]?.request.frames.finish()
    }

    /// Writes recordings until the task is cancelled. Those that are cut off then, the next start finishes.
    func serveRecordings() async {
        await withDiscardingTaskGroup { group in
            for await request in movieOrders { group.addTask { await self.write(request) } }
            group.cancelAll()
        }
    }

    private func write(_ request: RecordingRequest) async {
        guard let movieOutput else { return }
        let writer = MovieFileWriter(request, executor: movieOutput.writing)
        async let delivered: Void = deliver(request, by: movieOutput.finisher)
        let outcome = await writer.record()
        // Whatever ended it, no further frame is taken.
        if let ending = outcome.ending { endRecording(request.key, ending) }
        await delivered
        await finish(request, outcome)
    }

    /// Has each file finished that is whole, while those after it are recorded.
    private func deliver(_ request: RecordingRequest, by finisher: MovieFinisher) async {
        for await closed in request.segments.closed {
            guard let report = await finisher.deliver(request.key, through: closed, in: spool) else { continue }
            if let next = report.owedSegment { request.segments.forget(before: next) }
            await tell([.captureGrew(report)])
        }
    }

    /// Has a recording finished that no frame comes to any more.
    private func finish(_ request: RecordingRequest, _ outcome: MovieFileWriter.Outcome) async {
        let key = request.key
        guard let recording = recordings[key] else { return }
        // The process is about to end: what is on the disk is finished by the next start, which says so.
        guard let ending = outcome.ending ?? recording.ending, !Task.isCancelled, let movieOutput else {
            return await forget(key, request, brokenRecording(.cancelled, "its agent was ended"))
        }
        let ended = EndedRecording(
            ending: ending, droppedFrames: recording.droppedFrames, silenceNanoseconds: outcome.silenceNanoseconds)
        await MovieFault.ended.reached()
        let report = await movieOutput.finisher.finish(key, ended, in: spool)
        await MovieFault.settled.reached()
        guard report != nil || !Task.isCancelled else {
            return await forget(key, request, brokenRecording(.cancelled, "its agent was ended"))
        }
        let problem = report?.movie.map(\.problem) ?? report?.failed.first?.problem
        if let report { await tell([.captureGrew(report)]) }
        await tell([.recording(key, .didFinishRecording(report?.movie, problem))])
        await forget(key, request, problem)
    }

    private func forget(_ key: CaptureKey, _ request: RecordingRequest, _ problem: CaptureProblem?) async {
        await spool.cancel(request.reservation)
        guard var recording = recordings.removeValue(forKey: key) else { return }
        for step in recording.lifeCycle.handle(.ended(problem)) { await tell(key, recording.teller, step) }
        await releaseLingering()
    }
}
