/// The state of a device, as its node last reported it.
public struct DeviceCondition: Hashable, Codable, Sendable {
    /// The states of a device.
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// Being opened, or no good frame has arrived since the start.
        case starting
        /// Streaming good frames.
        case running
        /// Open, but no frame has arrived for longer than the watchdog allows, or since the machine or the process stood still.
        case stalled
        /// Not present: unplugged, or its device node does not exist.
        case absent
        /// Held by another program (`EBUSY`).
        case busy
        /// This process may not open it (`EACCES`, `EPERM`).
        case denied
        /// Closed: it was stopped, it is on standby and nothing needs it, or its node is overloaded.
        case stopped
        /// Any other failure; the reason describes it.
        case failed
        /// Unknown: the node's agent is not connected.
        case unreachable
        /// The node's agent does not have it: its configuration does not name it, or has it disabled.
        case notConfigured
    }

    public var state: State
    /// A sentence that says why and what to do; nil while it runs as its format says. A camera that runs at a lower rate
    /// has one.
    public var reason: String?
    /// The format of its stream, once it runs.
    public var format: VideoFormat?
    /// Frames since the session began, by outcome.
    public var counters: FrameCounters
    /// When the last good frame was exposed and the measured interval, to predict the phase; nil before two frames.
    public var phase: FramePhase?
    /// What a camera's timestamps are; nil if its node does not report it.
    public var stamps: CameraStamps?
    /// The condition of its session; nil if the node does not report it or is not connected.
    public var session: SessionCondition?

    public init(
        state: State, reason: String? = nil, format: VideoFormat? = nil, counters: FrameCounters = .init(),
        phase: FramePhase? = nil, stamps: CameraStamps? = nil, session: SessionCondition? = nil
    ) {
        self.state = state
        self.reason = reason
        self.format = format
        self.counters = counters
        self.phase = phase
        self.stamps = stamps
        self.session = session
    }

    /// The time from frame to frame: what its format states, or what was measured if that is longer; nil if it does not
    /// stream.
    public var frameInterval: Duration? {
        guard let format else { return nil }
        let measured = Duration.nanoseconds(phase?.periodNanoseconds ?? 0)
        return format.isSlower(measured) ? measured : format.frameInterval
    }

    /// Whether the device can be asked for a capture.
    public var isUsable: Bool { state == .running }

    /// Why it is closed, if somebody wants it so: it was stopped by command, or is on standby and nothing needs it. nil if it runs,
    /// should run, or its node is not connected.
    public var deliberateStop: String? {
        guard state == .stopped, let session else { return nil }
        switch session.phase {
        case .stopped where session.isHeld || session.demands.isEmpty: return reason ?? "it is stopped"
        case .stopping where session.isHeld: return reason ?? "it is being stopped"
        default: return nil
        }
    }
}
