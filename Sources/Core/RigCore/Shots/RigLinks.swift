package import CaptureModel
package import ControlMessages

/// The channels as used by the rig's logic. None of these calls waits for a peer.
package protocol RigLinks: Sendable {
    /// Sends an order to a node's agent. Has no effect if it is not connected.
    func send(_ order: NodeOrder, to node: NodeName) async
    /// Fetches a file of a node's spool into the library. A file of an awaited shot has priority.
    func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) async
    /// Changes whether the files of a shot are fetched before those that nobody waits for. Returns at once.
    func prioritize(_ shot: ShotID, _ isAwaited: Bool)
    /// Tells a node that the library has a file; without a digest, that the file's failure is recorded.
    func release(_ key: FileKey, _ digest: ContentDigest?) async
    /// Ends the work on a file that will not arrive, and removes its received part.
    func abandon(_ key: FileKey) async
    /// Removes the received parts of a settled shot's files that are no longer fetched.
    func tidy(_ shot: ShotID) async
    /// Puts an event into the journal and on the feed, in the order of the calls. Returns at once.
    func publish(_ event: FeedEvent)
    /// Returns the number up to which published events survive a restart of the coordinator.
    func journaledSequence() -> UInt64
    /// Returns the range of events that were lost before they were durable. Each loss is reported once, when later
    /// events are durable again.
    func removeEventLoss() -> ClosedRange<UInt64>?
}
