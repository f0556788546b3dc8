package import CaptureModel

/// What the rig's logic asks of the channels. None of these waits for a peer.
package protocol RigLinks: Sendable {
    /// Sends to a node's agent; without effect when it is not connected.
    func send(_ command: AgentCommand, to node: NodeName) async
    /// Fetches a file of a node's spool into the library; one whose shot is awaited before the others.
    func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) async
    /// Has the files of a shot fetched before those that nobody waits for, or as these; returns at once.
    func prioritize(_ shot: ShotID, _ isAwaited: Bool)
    /// Tells a node that the library has a file; without a digest, that the file's failure is written down.
    func release(_ key: FileKey, _ digest: ContentDigest?) async
    /// Ends what is under way of a file that will not come, and removes what was received of it.
    func abandon(_ key: FileKey) async
    /// Removes what was received of files of a settled shot that nobody fetches any more.
    func tidy(_ shot: ShotID) async
    /// Puts an event into the journal and on the feed, in the order of the calls; returns at once.
    func publish(_ event: FeedEvent)
    /// The number up to which published events survive the coordinator's end.
    func journaledSequence() -> UInt64
    /// From the first to the last event that was lost before it could survive, told once, when later ones survive again.
    func takeEventLoss() -> ClosedRange<UInt64>?
}
