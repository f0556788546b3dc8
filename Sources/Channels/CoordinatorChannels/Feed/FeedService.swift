import CaptureModel
import FaultPoints
import Logging
import RigCore
import RigProtocol
import RigWire
import ZeroMQ

/// The feed on the bus: sends events as they are published, and a beat each second that lets subscribers notice a loss.
/// A subscriber that does not read loses messages at its own queue. It sees the gap and requests a replay.
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

    /// Serves until the task is cancelled. Events that have a number by then are stored and published.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.beats() }
            group.addTask { [feed] in await feed.run { await self.publish($0) } }
        }
    }

    /// The numbers of messages that were not sent, of events that found no place on their way to the disk, and of
    /// events that no replay can read.
    func droppedMessages() async -> [String: UInt64] {
        var counts = dropped.counts(of: "feed")
        if feed.overflow > 0 { counts["feed.unexpected"] = feed.overflow }
        let unreadable = await feed.unreadable
        if unreadable > 0 { counts["feed.malformed"] = unreadable }
        return counts
    }

    private func beats() async {
        while !Task.isCancelled {
            await sendHeartbeat()
            await FeedWaitFault.beat.reached()
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
        }
    }

    private func sendHeartbeat() async {
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

/// The coordinator's messages on the feed, before they are sent.
enum FeedSendFault: String, SendFaultPoint {
    case event = "coordinator.feed.send.event"
    case beat = "coordinator.feed.send.beat"
}
