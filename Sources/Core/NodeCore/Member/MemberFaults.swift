import FaultPoints

/// Where the node's tasks wait that keep it a member of its rig.
package enum MemberFault: String, TaskFaultPoint {
    /// A message is about to be carried out.
    case work = "agent.control.wait.work"
    case tick = "agent.control.wait.tick"
    case spoolUsage = "agent.control.wait.spoolUsage"
    case events = "agent.control.wait.events"
}
