import FaultPoints

/// Where the coordinator's tasks of the shots wait.
package enum RigFault: String, TaskFaultPoint {
    /// A trigger is taken on; nothing of it is durable.
    case accepted = "coordinator.rig.wait.accepted"
    /// A manifest is about to be written.
    case journal = "coordinator.rig.wait.journal"
    /// A manifest is durable; its shot does not know yet.
    case journaled = "coordinator.rig.wait.journaled"
    case deadline = "coordinator.rig.wait.deadline"
    case nodes = "coordinator.rig.wait.nodes"
}
