/// The client's choice of T.
public enum RequestedTime: Hashable, Sendable {
    /// As soon as every camera can be armed, or `lead` nanoseconds after receipt.
    case soon(lead: Int64?)
    /// Nanoseconds after the coordinator received the request; a negative value reaches back into the ring.
    case relative(nanoseconds: Int64)
    /// `CLOCK_REALTIME` of the coordinator, nanoseconds since 1970.
    case absolute(realtimeNanoseconds: Int64)
}
