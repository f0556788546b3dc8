import FaultPoints

/// The points at which the coordinator's tasks for takes wait.
package enum TakeFault: String, TaskFaultPoint {
    /// Every camera records, has recorded, or does not, and this is durable, but the feed does not have it.
    case began = "coordinator.take.wait.began"
    /// A stop is requested, but nothing of it is recorded.
    case stop = "coordinator.take.wait.stop"
    /// The take has the stop, but it is not durable, and no node has learned of it.
    case stopping = "coordinator.take.wait.stopping"
    /// A manifest with the stop is durable, but the take does not know it.
    case stopDurable = "coordinator.take.wait.stopDurable"
    /// A mark is requested, but nothing of it is recorded.
    case mark = "coordinator.take.wait.mark"
    /// A manifest with the mark is durable, but the client is not answered.
    case markDurable = "coordinator.take.wait.markDurable"
}
