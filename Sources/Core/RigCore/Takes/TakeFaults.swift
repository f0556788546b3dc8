import FaultPoints

/// Where the coordinator's tasks of takes wait.
package enum TakeFault: String, TaskFaultPoint {
    /// Every camera records, has recorded, or does not, durably; the feed has not been told.
    case began = "coordinator.take.wait.began"
    /// A stop is asked for; nothing of it is known.
    case stop = "coordinator.take.wait.stop"
    /// The take knows of it; it is not durable, and no node has heard of it.
    case stopping = "coordinator.take.wait.stopping"
    /// A manifest with the stop is durable; the take does not know.
    case stopDurable = "coordinator.take.wait.stopDurable"
    /// A mark is asked for; nothing of it is known.
    case mark = "coordinator.take.wait.mark"
    /// A manifest with the mark is durable; who has set it is not answered.
    case markDurable = "coordinator.take.wait.markDurable"
}
