/// One promise of the protocol `Camera`.
public enum ConformanceCheck: String, CaseIterable, Sendable, CustomStringConvertible {
    // Frames.
    case agreedFormat, wholeFrames, orderedFrames, countedLosses, risingLosses, slowConsumer, leaseOutlivesStream
    // Life of a stream.
    case busyWhileStreaming, stopEndsFrames, stopTogether, restart, cancelledConsumer, cancelledStart, droppedStream
    // What it offers.
    case unsupportedFormat, startAfterRefusal, capabilities, capabilitiesWhileStreaming, authorization, controls,
        streams
    // Beside another camera.
    case pair

    /// Whether it needs a second camera.
    public var needsOther: Bool { self == .pair }

    /// What would be wrong for a user if the promise were broken.
    public var description: String {
        switch self {
        case .agreedFormat: "the format agreed is not the one asked for, or no frame comes"
        case .wholeFrames: "a frame is no whole picture of the agreed size, and is not flagged"
        case .orderedFrames: "sequence numbers or stamps go backwards, or a stamp lies in the future"
        case .countedLosses: "a frame is missing that no counter knows of"
        case .risingLosses: "a counter of losses goes back"
        case .slowConsumer: "a slow consumer gets old frames, or what it lost is not counted"
        case .leaseOutlivesStream: "a frame changes or vanishes when its camera stops"
        case .busyWhileStreaming: "a second start takes the camera away, or is refused for another reason"
        case .stopEndsFrames: "a consumer waits for ever after stop, or stop looks like a failure"
        case .stopTogether: "two that stop a stream at once disturb each other"
        case .restart: "a stopped camera cannot be started again"
        case .cancelledConsumer: "a consumer that was cancelled keeps the camera from stopping or starting"
        case .cancelledStart: "a start that was cancelled keeps the camera"
        case .droppedStream: "a stream that nobody holds goes on, or keeps the camera"
        case .unsupportedFormat: "a format not on offer is agreed to, or refused without saying what is on offer"
        case .startAfterRefusal: "a refused start keeps the camera"
        case .capabilities: "a format listed cannot be started, or one that can be is not listed"
        case .capabilitiesWhileStreaming: "asking a running camera what it offers disturbs it, or is not answered"
        case .authorization: "a camera that can be opened is called forbidden"
        case .controls: "a control is told wrongly, or a value that cannot be set is taken"
        case .streams: "a stream on offer cannot run, one that is not is started, or two of a camera disturb each other"
        case .pair: "two cameras of one make disturb each other"
        }
    }
}
