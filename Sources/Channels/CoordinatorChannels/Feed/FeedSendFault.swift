import FaultPoints

/// The coordinator's messages on the feed, before they are sent.
enum FeedSendFault: String, SendFaultPoint {
    case event = "coordinator.feed.send.event"
    case beat = "coordinator.feed.send.beat"
}
