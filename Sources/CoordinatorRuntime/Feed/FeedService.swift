import CaptureModel
import FaultPoints
import Logging
import RigProtocol
import RigWire
import ZeroMQ

/// Publishes the rig's events, and a beat a second by which subscribers notice a loss.
///
/// A subscriber that does not read loses messages at its own queue; it sees the gap and asks for a replay.
actor FeedService {
    private let socket: PublisherSocket
    private let epoch: Epoch
    private let clock: any TimeSource
    private let log: Logger
    private var lastSequence: UInt64 = 0
    private var dropped = DroppedMessages()
    private let lane = SendLane<Message>()

    init(socket: PublisherSocket, epoch: Epoch, clock: any TimeSource, log: Logger) {
        self.socket = socket
        self.epoch = epoch
        self.clock = clock
        self.log = log
    }

    /// Serves until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await beat()
            await FeedWaitFault.beat.reached()
            do { try await clock.sleep(for: .seconds(1)) } catch { return }
        }
    }

    func publish(_ event: FeedEvent) async {
        lastSequence = max(lastSequence, event.sequence)
        var message = WireFeedMessage()
        message.event = event.wire
        await publish(message, at: .event)
    }

    private func beat() async {
        var message = WireFeedMessage()
        message.beat.coordinatorEpoch = epoch.rawValue
        message.beat.lastSequence = lastSequence
        await publish(message, at: .beat)
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
