import FaultPoints

/// The agent's messages on the frames channel, before they are sent.
enum FramesSendFault: String, SendFaultPoint {
    case frame = "agent.frames.send.frame"
}

/// Where the agent's tasks of the frames channel wait.
enum FramesWaitFault: String, TaskFaultPoint {
    /// A frame has come and is not made into a message yet.
    case frame = "agent.frames.wait.frame"
}
