import CaptureModel
import RigCore
import RigWire

/// The channels, as the rig's logic sees them.
struct ChannelLinks: RigLinks {
    let control: ControlService
    let collect: CollectService
    let feed: EventFeed
    let feedService: FeedService

    func send(_ command: AgentCommand, to node: NodeName) async {
        await control.send(command, to: node)
    }

    func collect(_ key: FileKey, _ file: SpooledFile, isAwaited: Bool) async {
        collect.collect(key, file, isAwaited: isAwaited)
    }

    func prioritize(_ shot: ShotID, _ isAwaited: Bool) {
        collect.prioritize(shot, isAwaited)
    }

    func release(_ key: FileKey, _ digest: ContentDigest?) async {
        await collect.release(key, digest)
    }

    func abandon(_ key: FileKey) async {
        await collect.abandon(key)
    }

    func tidy(_ shot: ShotID) async {
        await collect.tidy(shot)
    }

    func publish(_ event: FeedEvent) {
        feed.append(event)
    }

    func journaledSequence() -> UInt64 {
        feed.journaledSequence()
    }

    func takeEventLoss() -> ClosedRange<UInt64>? {
        feed.takeLoss()
    }

    /// What each channel dropped, by channel and cause.
    func droppedMessages() async -> [String: UInt64] {
        let control = await control.dropped.counts(of: "control")
        let collect = await collect.dropped.counts(of: "collect")
        let feed = await feedService.droppedMessages()
        return control.merging(collect) { own, _ in own }.merging(feed) { own, _ in own }
    }
}
