import FaultPoints

/// The coordinator's messages on the feed, before they are sent.
enum FeedSendFault: String, SendFaultPoint {
    case event = "coordinator.feed.send.event"
    case beat = "coordinator.feed.send.beat"
}

/// Where the coordinator's task of the feed waits.
enum FeedWaitFault: String, TaskFaultPoint {
    case beat = "coordinator.feed.wait.beat"
}
