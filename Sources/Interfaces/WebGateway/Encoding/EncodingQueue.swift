/// Who may encode a movie, and who waits for it: one at a time, in order of arrival.
///
/// | state of a request | event | state after it |
/// |---|---|---|
/// | – | enters, nobody encodes | encodes |
/// | – | enters, and fewer than ``waitingLimit`` wait | waits |
/// | – | enters, and ``waitingLimit`` wait | refused, which is counted |
/// | waits | leaves: its client has gone | left, which is counted |
/// | waits | the one that encodes ends, and it is the first that waits | encodes |
/// | encodes | ends with an ``Ending`` | ended, which is counted |
///
/// Nothing is encoded while nobody waits, so the first row cannot overtake anybody. An event that fits no row changes nothing.
struct EncodingQueue {
    /// The most requests that wait.
    static let waitingLimit = 8

    /// A request, in the order of arrival.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    enum Entry: Hashable {
        case encodes(Ticket)
        case waits(Ticket)
        case refused
    }

    /// What became of a request.
    enum Ending: String, Hashable, CaseIterable, Sendable {
        /// Its movie is there.
        case done
        case failed
        /// Its client has gone, or the gateway ends.
        case left
        /// Too many waited.
        case refused
    }

    /// The request that encodes.
    private(set) var encoding: Ticket?
    /// Those that wait, the first first.
    private(set) var waiting: [Ticket] = []
    /// How many requests have ended, by ending; since the start of the gateway.
    private(set) var endings: [Ending: UInt64] = [:]
    private var lastNumber: UInt64 = 0

    /// Whether a request that enters would be refused.
    var isFull: Bool { waiting.count >= Self.waitingLimit }

    mutating func enter() -> Entry {
        guard encoding == nil || !isFull else {
            endings[.refused, default: 0] += 1
            return .refused
        }
        lastNumber += 1
        let ticket = Ticket(number: lastNumber)
        guard encoding != nil else {
            encoding = ticket
            return .encodes(ticket)
        }
        waiting.append(ticket)
        return .waits(ticket)
    }

    /// The client of a request that waits has gone.
    /// - Returns: Whether it waited.
    mutating func leave(_ ticket: Ticket) -> Bool {
        guard let index = waiting.firstIndex(of: ticket) else { return false }
        waiting.remove(at: index)
        endings[.left, default: 0] += 1
        return true
    }

    /// The request that encodes has ended.
    /// - Returns: The one that encodes now.
    mutating func end(_ ticket: Ticket, _ ending: Ending) -> Ticket? {
        guard encoding == ticket else { return nil }
        endings[ending, default: 0] += 1
        encoding = waiting.isEmpty ? nil : waiting.removeFirst()
        return encoding
    }
}
