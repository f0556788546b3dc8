import CaptureModel
import PosixSupport

/// The newest frame for an output's consumer, with the count of the frames that it has replaced.
///
/// ```
///           offer                  offer: the previous frame is superseded
///  empty ───────────▶ waiting ───┐
///    ▲                  │  ▲─────┘
///    └──────────────────┘
///        removeFrame             close, from either: closed; later offers are dropped
/// ```
final class FrameMailbox: Sendable {
    private struct State: Sendable {
        var waiting: OfferedFrame?
        /// Frames lost after the last frame that was removed.
        var drops = OutputDrops()
        var lastSequence: UInt64?
        var isClosed = false
    }

    private let state = Locked(State())
    /// Signals every frame. Of several unread signals, one is kept.
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Replaces the waiting frame. Any thread; never waits for the consumer.
    func offer(_ offered: OfferedFrame) {
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            let sequence = offered.frame.sequence
            // A camera that was opened again counts from the start.
            if let last = state.lastSequence, sequence > last { state.drops.beforeOutput &+= sequence - last - 1 }
            state.lastSequence = sequence
            if state.waiting != nil { state.drops.superseded &+= 1 }
            state.waiting = offered
            return true
        }
        if isOpen { arrival.yield() }
    }

    /// Returns the waiting frame, with the frames lost before it; nil if none waits.
    func removeFrame() -> (OfferedFrame, OutputDrops)? {
        state.withLock { state in
            guard let offered = state.waiting else { return nil }
            defer { (state.waiting, state.drops) = (nil, OutputDrops()) }
            return (offered, state.drops)
        }
    }

    /// Adds the losses of a frame that was removed but not delivered, so that the next one reports them.
    func restore(_ drops: OutputDrops) {
        state.withLock { $0.drops.add(drops) }
    }

    /// Waits until a frame may have arrived.
    /// - Returns: false if none will arrive.
    func wait() async -> Bool {
        for await _ in arrivals { return true }
        return false
    }

    func close() {
        state.withLock { ($0.isClosed, $0.waiting) = (true, nil) }
        arrival.finish()
    }
}
