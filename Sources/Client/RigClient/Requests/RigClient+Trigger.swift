public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// Takes one picture of one instant.
    ///
    /// After a silence of the client's patience, the client requests a sign of life. It repeats the request under the
    /// same id if the connection or the coordinator's epoch has changed. So it survives a restart of the coordinator,
    /// which accepts a shot only once. It ends with ``TriggerUpdate/answered(_:)``, or throws ``RigClientError``:
    /// - `noCoordinator` if nothing was ever received;
    /// - `lostCoordinator` if something was received and then no sign of life for five times the patience, or no answer
    ///   in the time that the coordinator has announced.
    ///
    /// Ending the stream early does not end the shot.
    public nonisolated func trigger(_ request: TriggerRequest) -> AsyncThrowingStream<TriggerUpdate, any Error> {
        // Progress is only for display, so the newest is enough; the answer is the last element and never dropped.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            // Unstructured, since a stream has no task; it ends with the stream.
            let task = Task {
                do {
                    try await self.run(.trigger(request)) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func run(
        _ longRequest: LongRequest, _ tell: @Sendable (TriggerUpdate) -> Void
    ) async throws(RigClientError) {
        var longRequest = longRequest
        let mailbox = Mailbox<WireClientReply>(limit: 64, time: time)
        var watchdog = RequestWatchdog(
            start: time.now(), patience: patience, answerLimit: answerLimit(of: longRequest, coordinators: nil))
        var ids: [UInt64] = []
        defer { ids.forEach(forget) }
        watchdog.asked(on: await connections, at: time.now())
        ids.append(try await send(longRequest.body, repliesTo: mailbox.sender, operation: longRequest.operation))
        while true {
            switch await mailbox.next(within: patience) {
            case .message(let reply):
                let update = try await update(of: reply, longRequest.operation)
                watchdog.heard(from: reply.epoch, at: time.now(), answerWithin: update.answerWithin)
                tell(update)
                if case .progress(let progress) = update { longRequest.resolve(progress.shot) }
                if case .answered = update { return }
            case .silence:
                // Without a connection nobody can be asked for a sign of life.
                let isConnected = await connections > 0
                if !isConnected || watchdog.verdict(at: time.now()) != .neverHeard {
                    try await check(watchdog, longRequest)
                }
                guard let sign = try? await signOfLife() else {
                    try await check(watchdog, longRequest)
                    continue
                }
                let needsRepeat = watchdog.needsRepeat(
                    epoch: sign.coordinatorEpoch.rawValue, connections: await connections)
                watchdog.signed(
                    by: sign.coordinatorEpoch.rawValue, at: time.now(),
                    answerLimit: sign.triggerTimeout.map { answerLimit(of: longRequest, coordinators: $0) })
                guard needsRepeat else { continue }
                tell(.repeated)
                watchdog.asked(on: await connections, at: time.now())
                ids.append(
                    try await send(longRequest.body, repliesTo: mailbox.sender, operation: longRequest.operation))
            case .closed:
                throw .closed(operation: longRequest.operation, endpoint: endpoint)
            }
        }
    }

    private func update(
        of reply: WireClientReply, _ operation: String
    ) async throws(RigClientError) -> TriggerUpdate {
        let answer = try answer(reply, operation: operation)
        if case .shot(let document) = answer.body { return .answered(try await read(document, operation).located) }
        return try reading(answer, operation: operation) { body throws(WireError) in
            if case .progress(let progress) = body { .progress(try ShotProgress(wire: progress)) } else { nil }
        }
    }

    private func check(_ watchdog: RequestWatchdog, _ longRequest: LongRequest) async throws(RigClientError) {
        let cause: String
        switch watchdog.verdict(at: time.now()) {
        case .wait: return
        case .neverHeard: throw await noAnswer(to: longRequest.operation, waited: patience)
        case .silent:
            cause =
                "the coordinator at \(endpoint) has given no sign of life for \((patience * RequestWatchdog.silenceLimit).text); once it runs again, \(longRequest.advice)"
        case .overdue:
            cause =
                "the coordinator at \(endpoint) is alive but has not answered within its timeout; \(longRequest.advice)"
        }
        throw RigClientError(.lostCoordinator, operation: longRequest.operation, endpoint: endpoint, cause: cause)
    }

    /// The time from accepting the request to the answer: until T, then the timeout.
    /// - Parameter timeout: The coordinator's default, for a request without one; nil if the coordinator has not
    ///   reported it.
    private func answerLimit(of longRequest: LongRequest, coordinators timeout: Duration?) -> Duration {
        // Movies may be long, and signs of life are requested until they have ended.
        guard case .trigger(let request) = longRequest else { return .seconds(86_400) }
        let ahead: Duration
        switch request.request.time {
        case .soon(let lead, _): ahead = .nanoseconds(lead ?? 0)
        case .relative(let nanoseconds): ahead = .nanoseconds(nanoseconds)
        case .absolute(let realtime):
            ahead = .nanoseconds(realtime) - .nanoseconds(time.wallClockPair().realtimeNanoseconds)
        }
        return max(.zero, ahead) + (request.timeout ?? timeout ?? .seconds(10))
    }
}

/// A report to the client about a shot that it has requested.
public enum TriggerUpdate: Hashable, Sendable {
    /// The shot is under way.
    case progress(ShotProgress)
    /// The coordinator was silent for a while, so the request was repeated under the same id.
    case repeated
    /// The coordinator's answer; the last update. Its shot is still open if the timeout passed first.
    case answered(LocatedShot)

    /// How long the answer may still take, if the coordinator has said so.
    var answerWithin: Duration? { if case .progress(let progress) = self { progress.answerWithin } else { nil } }
}

/// Decides whether to wait further for a request about a shot, and whether to repeat it, from what the coordinator has
/// sent and when. It distinguishes a silent coordinator from a shot that takes long.
struct RequestWatchdog {
    /// What to do after a silence.
    enum Verdict: Equatable {
        case wait
        /// Nothing was ever received.
        case neverHeard
        /// Something was received once, and then not even a sign of life.
        case silent
        /// The coordinator responds, and its answer is later than it may be.
        case overdue
    }

    /// How long a coordinator that was heard before may be silent, as a multiple of the patience: enough for a restart.
    static let silenceLimit = 5

    private let patience: Duration
    private var answerLimit: Duration
    private var asked: LocalTime
    private var lastSign: LocalTime
    /// The latest known time of the answer.
    private var due: LocalTime
    /// Whether the coordinator itself has announced the time of its answer.
    private var isTold = false
    /// The epoch of the coordinator that sent the last reply or sign of life; nil before the first one.
    private var epoch: UInt64?
    /// Number of connections made when the request was last sent.
    private var connections = 0

    /// - Parameter answerLimit: How long the coordinator may take for its answer, unless it announces a time.
    init(start: LocalTime, patience: Duration, answerLimit: Duration) {
        self.patience = patience
        self.answerLimit = answerLimit
        (asked, lastSign, due) = (start, start, start + answerLimit)
    }

    mutating func asked(on connections: Int, at now: LocalTime) {
        self.connections = connections
        asked = now
        due = now + answerLimit
        isTold = false
    }

    /// Records a reply.
    /// - Parameter answerWithin: How long the answer may still take; nil if the coordinator does not say.
    mutating func heard(from epoch: UInt64, at now: LocalTime, answerWithin: Duration? = nil) {
        lastSign = now
        self.epoch = epoch
        isTold = answerWithin != nil
        due = now + (answerWithin ?? answerLimit)
    }

    /// Records a sign of life.
    /// - Parameter answerLimit: How long this coordinator may take for its answer; nil if it does not say.
    mutating func signed(by epoch: UInt64, at now: LocalTime, answerLimit: Duration?) {
        lastSign = now
        if self.epoch == nil { self.epoch = epoch }
        guard let answerLimit else { return }
        self.answerLimit = answerLimit
        if !isTold { due = max(due, asked + answerLimit) }
    }

    func verdict(at now: LocalTime) -> Verdict {
        let silence = now - lastSign
        if epoch == nil { return silence >= patience ? .neverHeard : .wait }
        if silence >= patience * Self.silenceLimit { return .silent }
        return now >= due + patience * 2 ? .overdue : .wait
    }

    /// Whether replies to the request as it was sent can no longer arrive. The first connection may be made after the
    /// request was queued, and does not count as a change.
    func needsRepeat(epoch current: UInt64, connections: Int) -> Bool {
        epoch.map { $0 != current } ?? false || connections > max(self.connections, 1)
    }
}
