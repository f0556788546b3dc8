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
    /// By how much the node's clock had been slewed when the reply was received, see ``TimeSource/timeSlewed()``; nil if that is not known.
    public var nodeSlewed: Duration?
    /// By how much the coordinator's clock had been slewed when it replied; nil if that is not known.
    public var coordinatorSlewed: Duration?
    /// How the coordinator's clock is kept in step, as it has last read that; nil if that is not known.
    public var coordinatorDiscipline: DisciplinedClock<RigTimeBase>?

    public init(
        sent: LocalTime, received: RigTime, replied: RigTime, returned: LocalTime, nodeSlewed: Duration? = nil,
        coordinatorSlewed: Duration? = nil, coordinatorDiscipline: DisciplinedClock<RigTimeBase>? = nil
    ) {
        self.sent = sent
        self.received = received
        self.replied = replied
        self.returned = returned
        self.nodeSlewed = nodeSlewed
        self.coordinatorSlewed = coordinatorSlewed
        self.coordinatorDiscipline = coordinatorDiscipline
    }

    /// Time in transit, both ways together.
    public var roundTrip: Duration { (returned - sent) - (replied - received) }
}
