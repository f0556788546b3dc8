/// What a client asks for when it triggers.
public struct ShotRequest: Hashable, Sendable {
    public var selection: Selection
    public var settings: PhotoSettings
    public var time: RequestedTime
    /// Cancel all unless every selected camera is armed by the deadline.
    public var requireAll: Bool

    public init(
        selection: Selection, settings: PhotoSettings = .init(), time: RequestedTime = .soon(lead: nil),
        requireAll: Bool = false
    ) {
        self.selection = selection
        self.settings = settings
        self.time = time
        self.requireAll = requireAll
    }
}

/// When a client wants T.
public enum RequestedTime: Hashable, Sendable {
    /// As soon as every camera can be armed, or `lead` nanoseconds after receipt.
    case soon(lead: Int64?)
    /// Nanoseconds after the coordinator received the request; negative reaches back into the ring.
    case relative(nanoseconds: Int64)
    /// `CLOCK_REALTIME` of the coordinator, nanoseconds since 1970.
    case absolute(realtimeNanoseconds: Int64)
}
