import FaultPoints

/// The agent's messages on the clock channel, before they are sent.
enum ClockSendFault: String, SendFaultPoint {
    case probe = "agent.clock.send.probe"
}

/// Where the agent's tasks of the clock channel wait.
enum ClockWaitFault: String, TaskFaultPoint {
    case probe = "agent.clock.wait.probe"
    /// A reply has come and is not read yet.
    case received = "agent.clock.wait.message"
}
