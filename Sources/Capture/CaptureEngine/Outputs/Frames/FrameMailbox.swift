import CaptureModel
import PosixSupport

/// Where the newest frame waits for an output's consumer, with the count of what it has replaced.
///
/// ```
///           offer                  offer: the frame before is superseded
///  empty ───────────▶ waiting ───┐
///    ▲                  │  ▲─────┘
///    └──────────────────┘
///            take                  close, from either: closed; what is offered then is let go
/// ```
final class FrameMailbox: Sendable {
    private struct State: Sendable {
        var waiting: OfferedFrame?
        /// What was lost since the frame taken last.
        var drops = OutputDrops()
        var lastSequence: UInt64?
        var isClosed = false
    }

    private let state = Locked(State())
    /// Raised for every frame; of several that nobody has heard yet, one stays.
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Puts a frame in place of the one that waits. Any thread; never waits for the consumer.
    func offer(_ offered: OfferedFrame) {
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            let sequence = offered.frame.sequence
            // A camera that was opened again counts from the beginning.
            if let last = state.lastSequence, sequence > last { state.drops.beforeOutput &+= sequence - last - 1 }
            state.lastSequence = sequence
            if state.waiting != nil { state.drops.superseded &+= 1 }
            state.waiting = offered
            return true
        }
        if isOpen { arrival.yield() }
    }

    /// The frame that waits, with what was lost before it; nil where none does.
    func take() -> (OfferedFrame, OutputDrops)? {
        state.withLock { state in
            guard let offered = state.waiting else { return nil }
            defer { (state.waiting, state.drops) = (nil, OutputDrops()) }
            return (offered, state.drops)
        }
    }

    /// Counts the losses of a frame that was taken and came to nothing, for the next one to tell.
    func giveBack(_ drops: OutputDrops) {
        state.withLock { $0.drops.add(drops) }
    }

    /// Waits until a frame may have come.
    /// - Returns: false when none will any more.
    func wait() async -> Bool {
        for await _ in arrivals { return true }
        return false
    }

    func close() {
        state.withLock { ($0.isClosed, $0.waiting) = (true, nil) }
        arrival.finish()
    }
}
