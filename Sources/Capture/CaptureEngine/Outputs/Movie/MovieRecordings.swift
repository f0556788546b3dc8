import CaptureModel
import FaultPoints
import Recording
import Spool

/// The movies of takes that a session records, from their first frame until they are part of their captures. The table
/// is in `docs/design/recording.md`.
///
/// Owns the list of recordings. At most one accepts frames; the movies of earlier ones are being finished.
final class MovieRecordings: CaptureOutput {
    unowned let session: any SessionAccess
    private let controls: CameraControls
    private(set) var recordings: [CaptureKey: RecordingInProgress] = [:]

    init(_ session: any SessionAccess, controls: CameraControls) {
        self.session = session
        self.controls = controls
    }

    var device: DeviceDescription { session.device }

    // MARK: Calls of the session

    var capturesUnderWay: [CaptureKey] { Array(recordings.keys) }
    var needsStream: Bool { recordings.values.contains(where: \.isRecording) }

    /// Adds a frame of the stream to the recordings to which it belongs.
    func receive(_ frame: RingFrame, from stream: OpenStream) {
        for key in recordings.keys where recordings[key]?.isRecording == true { record(frame, key) }
    }

    func interrupted(by interruption: Interruption) {
        if interruption.isOfStream { interrupt(because: interruption.reason) }
    }

    func framesLost(because reason: String) async { interrupt(because: reason) }

    // MARK: Beginning

    /// Returns the order of a capture that is being recorded or finished, and the answer to it.
    func order(of key: CaptureKey) -> (CaptureOrder, ResolvedPhotoSettings)? {
        recordings[key].map { ($0.order, $0.resolved) }
    }

    /// Continues a capture, and passes the frames from the first one on to a writer.
    func begin(_ capture: PendingCapture, from first: RingFrame) async {
        let (key, ring) = (capture.order.key, session.ring)
        recordings[key] = RecordingInProgress(
            order: capture.order, resolved: capture.resolved, sender: capture.sender, lifeCycle: capture.lifeCycle,
            request: request(for: capture), stop: capture.stop)
        // No await may be between the check of the ring and the frames that follow. The first frame was chosen and
        // reported with the clock estimate of that moment. It stays the first even if the present estimate puts it
        // slightly before T.
        for frame in ring.frames(in: first.midExposure...(ring.newest?.midExposure ?? first.midExposure)) {
            if recordings[key]?.isRecording == true { record(frame, key) }
        }
        session.unpin(key)
        if !session.isRunning { interrupt(because: session.stateDescription) }
        if session.isServing { session.start(key, for: self) } else { await finish(key, MovieFileWriter.Outcome()) }
    }

    private func request(for capture: PendingCapture) -> RecordingRequest {
        let (order, resolved) = (capture.order, capture.resolved)
        return RecordingRequest(
            key: order.key, start: order.time, settings: order.settings.movie ?? MovieSettings(),
            realtimeAtStart: order.realtimeAtTime, utcOffsetMinutes: order.utcOffsetMinutes, resolved: resolved,
            interval: session.interval, rigClock: session.rigClock, spool: session.spool,
            reservation: capture.reservation, headroom: room,
            sound: resolved.movie?.hasSound == true ? session.services.clipSound : nil,
            byteLimit: session.policy.movieQueueByteLimit)
    }

    // MARK: Recording

    private func record(_ frame: RingFrame, _ key: CaptureKey) {
        guard let recording = recordings[key], let picture = frame.picture else { return }
        let rigClock = session.rigClock
        guard rigClock.clockID == recording.order.rigClock, let time = rigClock.rigTime(at: frame.midExposure) else {
            let why = "the rig time line of its take has ended with its coordinator's machine"
            recordings[key]?.end(RecordingEnding(end: .interrupted, problem: cutOff(.unsynchronized, why)))
            return
        }
        if let stop = recording.stop, time.time >= stop {
            recordings[key]?.end(RecordingEnding(end: .stopped))
            return
        }
        recordings[key]?.newest = time.time
        let exposure = controls.facts(of: frame)
        let recordable = RecordableFrame(
            sequence: frame.sequence, time: BoundedRigTime(time: time.time, bound: time.bound + exposure.bound),
            exposure: exposure.time, gain: exposure.gain, settings: exposure.settings, jpeg: picture.jpeg)
        if !recording.request.frames.offer(recordable) { recordings[key]?.droppedFrames += 1 }
    }

    /// Ends a recording at an instant. If later frames have already been recorded, it ends at once, and its movie says
    /// so.
    func stop(_ key: CaptureKey, at instant: RigTime) {
        guard let recording = recordings[key], recording.isRecording, recording.stop == nil else { return }
        recordings[key]?.stop = instant
        guard let newest = recording.newest, newest >= instant else { return }
        let late = "the order to stop arrived \(newest - instant) after its instant: the movie continues until then"
        recordings[key]?.end(RecordingEnding(end: .stopped, note: late))
    }

    /// Ends every recording, because its frames ended early.
    func interrupt(because reason: String) {
        for (key, recording) in recordings where recording.isRecording {
            let isWhole = recording.hasAllFrames(interval: session.interval)
            recordings[key]?.end(
                isWhole
                    ? RecordingEnding(end: .stopped)
                    : RecordingEnding(end: .interrupted, problem: cutOff(.deviceLost, reason)))
        }
    }

    private func cutOff(_ code: RigProblem.Code, _ reason: String) -> RigProblem {
        RigProblem(code, "\(device.id): its recording was interrupted: \(reason)")
    }

    // MARK: Writing

    /// Writes a recording. Each complete file is finished while later ones are recorded.
    func perform(_ key: CaptureKey, telling tell: @escaping @Sendable (SessionEvent) async -> Void) async {
        guard let output = session.services.movieOutput, let request = recordings[key]?.request else { return }
        let writer = MovieFileWriter(request, executor: output.writing)
        async let delivered: Void = Self.deliver(request, by: output.finisher, telling: tell)
        let outcome = await writer.record()
        // Whatever ended it, no more frames are accepted.
        if let ending = outcome.ending { recordings[key]?.end(ending) }
        await delivered
        await finish(key, outcome)
    }

    private static func deliver(
        _ request: RecordingRequest, by finisher: MovieFinisher, telling tell: @Sendable (SessionEvent) async -> Void
    ) async {
        for await closed in request.segments.closed {
            guard let report = await finisher.deliver(request.key, through: closed, in: request.spool) else { continue }
            if let next = report.owedSegment { request.segments.forget(before: next) }
            await tell(.captureGrew(report))
        }
    }

    /// Finishes a recording that gets no more frames.
    private func finish(_ key: CaptureKey, _ outcome: MovieFileWriter.Outcome) async {
        guard let recording = recordings[key] else { return }
        // If the process is about to end, the next start finishes what is on the disk, and reports it.
        guard let ending = outcome.ending ?? recording.ending, !Task.isCancelled,
            let finisher = session.services.movieOutput?.finisher
        else { return await forget(key, cutOff(.cancelled, "its agent was ended")) }
        let ended = EndedRecording(
            ending: ending, droppedFrames: recording.droppedFrames, silenceNanoseconds: outcome.silenceNanoseconds)
        await MovieFault.ended.reached()
        let report = await finisher.finish(key, ended, in: session.spool)
        await MovieFault.settled.reached()
        guard report != nil || !Task.isCancelled else {
            return await forget(key, cutOff(.cancelled, "its agent was ended"))
        }
        let problem = report?.movie.map(\.problem) ?? report?.failed.first?.problem
        if let report { await session.tell([.captureGrew(report)]) }
        await session.tell([.recording(key, .didFinishRecording(report?.movie, problem))])
        await forget(key, problem)
    }

    private func forget(_ key: CaptureKey, _ problem: RigProblem?) async {
        guard let reservation = recordings[key]?.request.reservation else { return }
        await session.spool.cancel(reservation)
        guard var recording = recordings.removeValue(forKey: key) else { return }
        await session.tell(key, recording.sender, recording.lifeCycle.handle(.ended(problem)))
        await session.captureEnded()
    }
}
