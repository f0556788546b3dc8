import CameraKit
public import CaptureModel

/// Keeps the exposures of a session's camera aligned with the rig's time, while that is requested. ``PhaseSteering`` decides; this measures
/// frames and carries out.
///
/// The request belongs to the session, and outlasts stops, switches and the coordinator. It needs nothing but rig time.
final class AlignmentOutput: CaptureOutput {
    /// How long a request waits until the camera is aligned, without the time for restarts.
    static let patience = Duration.seconds(8)

    private unowned let session: any SessionAccess
    /// nil if the camera runs free.
    private var steering: PhaseSteering?
    /// What the task that serves the output is to carry out next.
    private var action: PhaseSteering.Action?
    private let due: Alarm
    /// The requests that wait until the camera is aligned. Bounded by the requests that a node carries out at a time.
    private var waiting: [Int: Alarm] = [:]
    private var next = 0

    init(_ session: any SessionAccess) {
        self.session = session
        due = Alarm(clock: session.services.clock)
        steering = session.policy.alignment.map(PhaseSteering.init)
    }

    // MARK: Calls of the session

    func describe(_ condition: inout SessionCondition) { condition.alignment = steering?.condition }

    func streamOpened() async {
        // Frames in the format of a larger still are not those of the stream.
        guard let stream = session.stream, stream.purpose == .session else { return }
        steering?.opened(
            stream.stream.phaseControl, interval: stream.agreedFormat.frameInterval, at: session.clock.now())
    }

    func receive(_ frame: RingFrame, from stream: OpenStream) {
        guard steering != nil, stream.purpose == .session else { return }
        let time = session.rigClock.rigTime(at: frame.midExposure).map {
            BoundedRigTime(time: $0.time, bound: $0.bound + frame.stampBound)
        }
        let isFree = !session.isStreamNeeded && !session.isCommitting
        if let action = steering?.note(time, at: frame.midExposure, isFree: isFree) {
            self.action = action
            due.ring()
        }
        if !waiting.isEmpty, isSettled { wakeWaiters() }
    }

    func streamClosed(_ stream: OpenStream) {
        steering?.closed()
        action = nil
    }

    func followed(_ event: SessionMachine.Event, from before: SessionMachine.FormatSwitch?) { wakeWaiters() }

    func sessionEnded() async { wakeWaiters() }

    // MARK: Requests

    /// - Parameter request: nil: the camera runs free from here on, at the phase that it has.
    func align(_ request: AlignmentRequest?) async {
        action = nil
        steering = request.map(PhaseSteering.init)
        wakeWaiters()
        guard let request else { return }
        await streamOpened()
        await waitUntilSettled(until: session.clock.now() + Self.patience + request.restartBudget)
    }

    /// Whether a request can be answered: with the phase, also of a camera that cannot be moved.
    private var isSettled: Bool {
        guard session.hasFrames, let condition = steering?.condition else { return true }
        return condition.state != .aligning && condition.latenessNanoseconds != nil
    }

    /// Returns when the camera is aligned or cannot be, when it does not stream or has no frames, or at an instant.
    private func waitUntilSettled(until deadline: LocalTime) async {
        next += 1
        let (id, alarm) = (next, Alarm(clock: session.clock))
        waiting[id] = alarm
        defer { waiting[id] = nil }
        while !isSettled, mayStream, session.clock.now() < deadline, !Task.isCancelled {
            await alarm.wait(until: deadline)
        }
    }

    /// Whether the camera streams, or is about to.
    private var mayStream: Bool {
        session.isServing && (session.machine.hardware != .closed || session.machine.isSuspended)
    }

    private func wakeWaiters() {
        for alarm in waiting.values { alarm.ring() }
    }

    // MARK: Moving

    /// Carries out what is decided, until the task is cancelled. A camera may take long to accept a move, and frames do not wait for it.
    func serve() async {
        while !Task.isCancelled {
            await due.wait(until: nil)
            guard let action = self.action.take() else { continue }
            switch action {
            case .shift(let shift): await move(by: shift)
            case .restart:
                await session.reopen(with: session.setup)
                steering?.restartEnded(at: session.clock.now())
            }
        }
    }

    private func move(by shift: Duration) async {
        guard let stream = session.stream else { return }
        do throws(CameraError) {
            let moved = try await stream.stream.shiftPhase(by: shift)
            steering?.moved(by: moved, at: session.clock.now())
        } catch {
            steering?.refused(error.reason, at: session.clock.now())
        }
    }
}

extension CaptureSession {
    /// Aligns the exposures of the camera with the rig's time and keeps them aligned, or lets them run free. Returns when the camera is
    /// aligned, cannot be or does not stream; at the latest after eight seconds and the time for restarts. What became of it is
    /// ``SessionCondition/alignment``.
    ///
    /// The alignment belongs to the session: it outlasts stops and switches, until the agent ends.
    /// - Parameter request: nil: the exposures run free.
    public func align(_ request: AlignmentRequest?) async {
        await alignment.align(request)
    }
}
