/// What a device is doing, as its node last said.
public struct DeviceCondition: Hashable, Codable, Sendable {
    /// The states of a device.
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// Being opened, or no good frame has arrived since the start.
        case starting
        /// Streaming good frames.
        case running
        /// Open, but no frame has arrived for longer than the watchdog allows, or since machine or process stood still.
        case stalled
        /// Not there: unplugged, or its device node does not exist.
        case absent
        /// Held by another program (`EBUSY`).
        case busy
        /// This process may not open it (`EACCES`, `EPERM`).
        case denied
        /// Closed: somebody has stopped it, it is on standby and nothing needs it, or its node is overloaded.
        case stopped
        /// Any other failure; the reason says which.
        case failed
        /// The node says nothing: its agent is not connected.
        case unreachable
        /// The node's agent does not have it: its configuration does not name it any more, or has it disabled.
        case notConfigured
    }

    public var state: State
    /// A sentence that says why and what to do; nil while running.
    public var reason: String?
    /// The format it streams in, once it runs.
    public var format: VideoFormat?
    /// Frames since the session began, by what became of them.
    public var counters: FrameCounters
    /// When the last good frame was exposed and the measured interval, for predicting phase; nil before two frames.
    public var phase: FramePhase?
    /// How its session stands; nil where the node does not say, or says nothing at all.
    public var session: SessionCondition?

    public init(
        state: State, reason: String? = nil, format: VideoFormat? = nil, counters: FrameCounters = .init(),
        phase: FramePhase? = nil, session: SessionCondition? = nil
    ) {
        self.state = state
        self.reason = reason
        self.format = format
        self.counters = counters
        self.phase = phase
        self.session = session
    }

    /// Whether the device can be asked for a capture.
    public var isUsable: Bool { state == .running }
}
