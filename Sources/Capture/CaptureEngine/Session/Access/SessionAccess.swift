import CameraKit
import CaptureModel
import Spool

/// The services of a session for its outputs: what they may read, and what they may request.
protocol SessionAccess: AnyObject {
    var services: SessionServices { get }
    var policy: SessionPolicy { get }
    /// The configuration, with its resolved values.
    var setup: SessionSetup { get }
    /// Whether another configuration is being committed.
    var isCommitting: Bool { get }

    // MARK: The camera

    /// The open stream; nil if none is open.
    var stream: OpenStream? { get }
    /// What the openings of the device have shown.
    var knowledge: KnownDevice { get }
    /// Returns what the device offers. Asks the device if that is unknown.
    func offers() async throws(RigProblem) -> [FormatOffer]
    /// The state of the session.
    var machine: SessionMachine { get }
    /// Whether ``CaptureSession/run()`` executes. Otherwise no work is performed.
    var isServing: Bool { get }
    /// Whether the session is being ended with its node. What fails from here on fails because of that.
    var isShuttingDown: Bool { get }
    /// Why the session does not run, or what it does; a sentence without its subject.
    var stateDescription: String { get }

    // MARK: The ring

    var ring: FrameRing { get }
    /// The measured time from frame to frame.
    var interval: Duration { get }
    /// Holds the present and later frames of a window until ``unpin(_:)``.
    func pin(_ key: CaptureKey, window: ClosedRange<LocalTime>)
    func unpin(_ key: CaptureKey)

    // MARK: Requests

    /// Closes the stream and opens another format. `why` is a sentence for people who check the session until the format is open.
    func switchFormat(to request: FormatRequest, because why: String) async
    /// Closes the other format and opens the stream's.
    func returnToStream() async
    /// Closes the stream, exchanges the setup, and opens the camera with it if it is needed. Returns when it runs or has
    /// failed.
    func reopen(with next: SessionSetup) async
    /// Lets an output perform its work for a capture, in a separate task.
    func start(_ key: CaptureKey, for output: any CaptureOutput)

    // MARK: News

    /// Reports events in order; returns when they have been reported.
    func tell(_ events: [SessionEvent]) async
    /// Notes that a capture has ended.
    func captureEnded() async
    /// Whether any output waits for frames of the present stream.
    var isStreamNeeded: Bool { get }
    /// Whether an output other than this one does.
    func isStreamNeeded(besides output: any CaptureOutput) -> Bool
}

extension SessionAccess {
    var clock: any TimeSource { services.clock }
    var rigClock: any RigTimeSource { services.rigClock }
    var spool: Spool { services.spool }
    var isRunning: Bool { machine.state == .running }
    /// Takes the pictures of a camera without frames that takes them when it is asked; nil for every other camera, and for one that is closed.
    var stills: (any StillSource)? { stream?.stream.stills }
    /// Exposes at given instants; nil for every other camera, and for one that is closed.
    var exposures: (any ScheduledExposures)? { stream?.stream.exposures }
    /// false for a camera that is open and has no frames but those of captures.
    var hasFrames: Bool { stream?.stream.hasFrames ?? true }

    /// The device that is the session's input, with the orientation and mirroring of its connections.
    var device: DeviceDescription { setup.device }

    /// What the stamps of the camera's frames are.
    var stampOrigin: StampOrigin? { setup.input.device.camera.stamps?.origin }

    /// Returns the part of the error of a frame of the open stream that its camera shares with those that were measured with it.
    func sharedError<Payload>(of frame: StampedFrame<Payload>, exposure: Duration?) -> SharedError? {
        guard let format = stream?.format else { return nil }
        return correction(of: frame)?.sharedError(in: format, exposure: exposure)
    }

    /// Returns a frame with a bound that is wider by a frame interval if its camera's correction was measured in another format, or if it
    /// is not known in which.
    func doubted(_ frame: RingFrame, in format: VideoFormat) -> RingFrame {
        guard frame.isCorrected, setup.input.device.camera.stamps?.correction != nil,
            correction(of: frame)?.holds(in: format) != true
        else { return frame }
        var frame = frame
        frame.isCorrected = false
        frame.stampBound += format.frameInterval
        return frame
    }

    /// The measured correction of a frame's stamp; nil if it has none. Also nil once the camera has stamps of another origin: it then
    /// states the correction of these.
    private func correction<Payload>(of frame: StampedFrame<Payload>) -> StampCorrection? {
        guard frame.isCorrected, let correction = setup.input.device.camera.stamps?.correction,
            frame.stampOrigin.map(correction.holds(for:)) ?? true
        else { return nil }
        return correction
    }

    /// The problem of captures that did not end before the session.
    var shuttingDown: RigProblem { RigProblem(.cancelled, "\(device.id): the node is shutting down") }

    /// Reports a step of a capture to the observer first, so that the rig knows it before a reader of the capture's
    /// events.
    func tell(_ key: CaptureKey, _ sender: CaptureEventSender?, _ steps: [LifeCycleStep]) async {
        for step in steps {
            await tell([.lifeCycle(key, step)])
            sender?.send(step)
        }
    }

    /// Returns an instant of this machine's clock on the rig's time line.
    func rigTime(at local: LocalTime) throws(RigProblem) -> BoundedRigTime {
        guard let rig = rigClock.rigTime(at: local) else {
            throw RigProblem(.unsynchronized, "\(device.id): the node has lost its clock estimate")
        }
        return rig
    }
}
