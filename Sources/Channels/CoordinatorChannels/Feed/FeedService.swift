import CaptureModel
import FaultPoints
import Logging
import RigCore
import RigProtocol
import RigWire
import ZeroMQ

/// The feed on the bus: sends events as they are published, with a beat a second by which subscribers notice a loss. A
/// subscriber that does not read loses messages at its own queue; it sees the gap and asks for a replay.
actor FeedService {
    private nonisolated let feed: EventFeed
    private let socket: PublisherSocket
    private let epoch: Epoch
    private nonisolated let clock: any TimeSource
    private let log: Logger
    private var dropped = DroppedMessages()
    private let lane = SendLane<Message>()

    init(socket: PublisherSocket, feed: EventFeed, epoch: Epoch, clock: any TimeSource, log: Logger) {
        self.socket = socket
        self.feed = feed
        self.epoch = epoch
        self.clock = clock
        self.log = log
    }

    /// Serves until the task is cancelled; what has been numbered by then is kept and published.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beats() }
            group.addTask { [feed] in await feed.run { await self.publish($0) } }
        }
    }

    /// Messages that were not sent, events that found no place on their way to the disk, and those that no replay can read.
    func droppedMessages() async -> [String: UInt64] {
        var counts = dropped.counts(of: "feed")
        if feed.overflow > 0 { counts["feed.unexpected"] = feed.overflow }
        let unreadable = await feed.unreadable
        if unreadable > 0 { counts["feed.malformed"] = unreadable }
        return counts
    }

    private func beats() async {
        while !Task.isCancelled {
            await beat()
            await FeedWaitFault.beat.reached()
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
        }
    }

    private func beat() async {
        var message = WireFeedMessage()
        message.beat.coordinatorEpoch = epoch.rawValue
        message.beat.lastSequence = await feed.lastSequence
        await publish(message, at: .beat)
    }

    private func publish(_ event: FeedEvent) async {
        var message = WireFeedMessage()
        message.event = event.wire
        await publish(message, at: .event)
    }

    private func publish(_ message: WireFeedMessage, at point: FeedSendFault) async {
        do {
            let frame = try FeedFrame(message)
            let outcome = await lane.pass(Message([MessagePart(frame.bytes)]), at: point) { await socket.publish($0) }
            if case .refused(let refusal) = outcome {
                dropped.note(.unsent) { log.warning("feed messages are dropped", metadata: ["first": "\(refusal)"]) }
            }
        } catch {
            log.error("an event cannot be published", metadata: ["reason": "\(error)"])
        }
    }
}
