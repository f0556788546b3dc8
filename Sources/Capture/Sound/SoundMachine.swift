import CameraKit
import CaptureModel

/// The decisions of a microphone's session. Pure: events in, actions out.
///
/// The microphone is *wanted* while any feature needs sound. It is open only then.
///
/// | hardware | event | next | action |
/// |---|---|---|---|
/// | closed, no retry due | `need`, the first one | opening | open |
/// | closed, waiting for a retry | `need` | the same: the wait continues | – |
/// | closed, waiting for a retry | `retryDue`, `present` | opening | open |
/// | closed, waiting for a retry | `release`, the last one | closed | stop waiting |
/// | opening | `closed`: no longer wanted before it was opened | closed | – |
/// | opening | `opened`, wanted | open | – |
/// | opening | `opened`, no longer wanted | closing | close |
/// | opening, open | `failed`, wanted | closed, waiting | retry after the delay |
/// | opening, open | `failed`, not wanted | closed | – |
/// | open | `delivering` | open, running; the trouble is cleared | – |
/// | open | `good`: has delivered for a long time | the delay is reset | – |
/// | open | `stalled` | closing | close |
/// | open | `release`, the last one | closing | close |
/// | closing | `closed`, wanted, after a stall | closed, waiting | retry after the delay |
/// | closing | `closed`, wanted | opening | open |
/// | closing | `closed`, not wanted | closed | – |
///
/// Other events change only the demands.
struct SoundMachine: Sendable {
    enum Hardware: Hashable, Sendable { case closed, opening, open, closing }

    enum Event: Sendable {
        case need(SessionDemand)
        case release(SessionDemand)
        case opened
        case delivering
        case good
        case stalled(SessionFailure)
        case failed(SessionFailure)
        case closed
        case retryDue
        /// The kernel has reported a device.
        case present
    }

    enum Action: Hashable, Sendable {
        case open
        case close
        case retry(after: Duration)
        case stopWaiting
    }

    private(set) var hardware = Hardware.closed
    private(set) var demands: Set<SessionDemand> = []
    /// Why it does not run although it is wanted; nil while it runs, and before the first attempt has failed.
    private(set) var trouble: SessionFailure?
    /// Whether the open stream has delivered sound.
    private(set) var isDelivering = false
    private var isWaiting = false
    private var delay: RetryDelay

    init(firstRetry: Duration, lastRetry: Duration) {
        delay = RetryDelay(first: firstRetry, last: lastRetry)
    }

    var isWanted: Bool { !demands.isEmpty }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .need(let demand):
            demands.insert(demand)
            return hardware == .closed && !isWaiting ? open() : []
        case .release(let demand):
            demands.remove(demand)
            return isWanted ? [] : release()
        case .opened: return hardware == .opening ? opened() : []
        case .delivering:
            if hardware == .open { (isDelivering, trouble) = (true, nil) }
            return []
        case .good:
            if hardware == .open { delay.reset() }
            return []
        case .stalled(let trouble):
            guard hardware == .open else { return [] }
            self.trouble = trouble
            return close()
        case .failed(let trouble):
            guard hardware == .opening || hardware == .open else { return [] }
            self.trouble = trouble
            return ended()
        case .closed: return hardware == .closing || hardware == .opening ? ended() : []
        case .retryDue, .present: return isWaiting && hardware == .closed ? open() : []
        }
    }

    private mutating func open() -> [Action] {
        (hardware, isWaiting, isDelivering) = (.opening, false, false)
        return [.open]
    }

    private mutating func opened() -> [Action] {
        guard isWanted else { return close() }
        hardware = .open
        return []
    }

    private mutating func close() -> [Action] {
        (hardware, isDelivering) = (.closing, false)
        return [.close]
    }

    private mutating func release() -> [Action] {
        if hardware == .open { return close() }
        guard isWaiting else { return [] }
        (isWaiting, trouble) = (false, nil)
        return [.stopWaiting]
    }

    private mutating func ended() -> [Action] {
        (hardware, isDelivering) = (.closed, false)
        guard isWanted else {
            trouble = nil
            return []
        }
        guard trouble != nil else { return open() }
        isWaiting = true
        return [.retry(after: delay.advance())]
    }
}
