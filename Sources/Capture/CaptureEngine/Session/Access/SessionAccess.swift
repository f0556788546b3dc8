import CameraKit
import CaptureModel
import Spool

/// What a session offers its outputs: what they may look at, and what they may ask for.
protocol SessionAccess: AnyObject {
    var services: SessionServices { get }
    var policy: SessionPolicy { get }
    /// The configuration, with what was resolved of it.
    var setup: SessionSetup { get }

    // MARK: The camera

    /// The stream that is open; nil where none is.
    var stream: OpenStream? { get }
    /// What the session's openings of the device have shown.
    var knowledge: DeviceKnowledge { get }
    /// What the device offers; asks it where that is not known.
    func offers() async throws(CaptureProblem) -> [FormatOffer]
    /// How the session stands.
    var machine: SessionMachine { get }
    /// Whether ``CaptureSession/run()`` executes; without it nothing is performed.
    var isServing: Bool { get }
    /// Why the session does not run, or what it does; a sentence without its subject.
    var stateDescription: String { get }

    // MARK: The ring

    var ring: FrameRing { get }
    /// The measured time from frame to frame.
    var interval: Duration { get }
    /// Holds the frames of a window, those here and those to come, until ``unpin(_:)``.
    func pin(_ key: CaptureKey, window: ClosedRange<LocalTime>)
    func unpin(_ key: CaptureKey)

    // MARK: Requests

    /// Closes the stream and opens another format; `why` is a sentence for who looks at the session meanwhile.
    func switchFormat(to request: FormatRequest, because why: String) async
    /// Closes the other format and opens the stream's.
    func returnToStream() async
    /// Has an output perform its work for a capture, in a task of its own.
    func start(_ key: CaptureKey, for output: any CaptureOutput)

    // MARK: News

    /// Tells events in the order in which they came; returns when they have been told.
    func tell(_ events: [SessionEvent]) async
    /// A capture has come to its end.
    func captureEnded() async
    /// Whether any output waits for frames of the stream as it is.
    var isStreamNeeded: Bool { get }
}

extension SessionAccess {
    var clock: any TimeSource { services.clock }
    var rigClock: any RigTimeSource { services.rigClock }
    var spool: Spool { services.spool }
    var isRunning: Bool { machine.state == .running }

    /// The device that is the session's input, with the orientation and mirroring of its connections.
    var device: DeviceDescription { setup.device }

    /// The problem of captures that the end of the session overtakes.
    var shuttingDown: CaptureProblem { CaptureProblem(.cancelled, "\(device.id): the node is shutting down") }

    /// Tells a step of a capture: the observer first, so that whoever reads the capture's events finds the rig told.
    func tell(_ key: CaptureKey, _ teller: CaptureTeller?, _ steps: [LifeCycleStep]) async {
        for step in steps {
            await tell([.lifeCycle(key, step)])
            teller?.tell(step)
        }
    }

    /// An instant of this machine's clock on the rig's time line.
    func rigTime(at local: LocalTime) throws(CaptureProblem) -> BoundedRigTime {
        guard let rig = rigClock.rigTime(at: local) else {
            throw CaptureProblem(.unsynchronized, "\(device.id): the node has lost its clock estimate")
        }
        return rig
    }
}
