public import CaptureModel

/// What a follower of the rig's events is told.
public enum RigFeedItem: Hashable, Sendable {
    /// The next event; none is missing between it and the one before, unless `skipped` says so.
    case event(FeedEvent)
    /// So many events are lost to this follower: the coordinator no longer holds them.
    case skipped(count: UInt64)
    /// The coordinator has started anew; its sequence begins again.
    case restarted(Epoch)
    /// Nothing is heard from the coordinator; the follower goes on trying.
    case silent
}
