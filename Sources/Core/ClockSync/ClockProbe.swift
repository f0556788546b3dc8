public import CaptureModel

/// One exchange on the clock channel, with its four stamps.
public struct ClockProbe: Hashable, Sendable {
    /// t1: when the node sent, on its own clock.
    public var sent: LocalTime
    /// t2: when the coordinator received.
    public var received: RigTime
    /// t3: when the coordinator replied.
    public var replied: RigTime
    /// t4: when the node received the reply, on its own clock.
    public var returned: LocalTime

    public init(sent: LocalTime, received: RigTime, replied: RigTime, returned: LocalTime) {
        self.sent = sent
        self.received = received
        self.replied = replied
        self.returned = returned
    }

    /// Time in transit, both ways together.
    public var roundTrip: Duration { (returned - sent) - (replied - received) }
}
