internal import NIOCore

/// How far the requests of a connection are, and until when each part of them may last.
///
/// | stage | begins | may last | then |
/// |---|---|---|---|
/// | opening | with the connection | 20 s, with TLS's handshake and the first head | the connection ends |
/// | waiting | when everything is answered | 60 s | the connection ends |
/// | head | with its first byte | 20 s | status 408 |
/// | body | with the end of the head | 30 s | status 408 |
/// | answering | with the end of the body | as long as the answer needs | – |
/// | other protocol | with status 101 | that protocol decides | – |
///
/// Besides, each write of an answer may take 60 s, in any stage. Of requests that a client sends ahead, the second one's time begins with the
/// answer to the first.
struct ConnectionStages {
    /// A part of a request that takes too long.
    enum Part: String, CaseIterable {
        case opening, waiting, head, body, answer

        /// How long it may last.
        var limit: TimeAmount {
            switch self {
            case .opening, .head: .seconds(20)
            case .body: .seconds(30)
            case .waiting, .answer: .seconds(60)
            }
        }
    }

    private enum Stage {
        case reading(Part, since: NIODeadline)
        case answering
        case otherProtocol
    }

    private var stage: Stage
    /// Requests whose head was read and whose answer is not complete.
    private var unanswered = 0
    /// Writes under way, and when the first of them was begun or the last one ended.
    private var writes = 0
    private var wroteAt: NIODeadline

    init(at now: NIODeadline) {
        (stage, wroteAt) = (.reading(.opening, since: now), now)
    }

    /// Whether a request is awaited or read.
    var isReading: Bool {
        if case .reading = stage { true } else { false }
    }

    /// Whether the connection has left HTTP.
    var isOtherProtocol: Bool {
        if case .otherProtocol = stage { true } else { false }
    }

    // MARK: What the client sends

    mutating func bytesArrived(at now: NIODeadline) {
        if case .reading(.waiting, _) = stage { stage = .reading(.head, since: now) }
    }

    mutating func headRead(at now: NIODeadline) {
        unanswered += 1
        stage = .reading(.body, since: now)
    }

    mutating func bodyRead(at now: NIODeadline) {
        stage = unanswered > 0 ? .answering : .reading(.waiting, since: now)
    }

    // MARK: What the gateway sends

    mutating func answered(at now: NIODeadline) {
        unanswered -= 1
        switch stage {
        case .answering where unanswered == 0: stage = .reading(.waiting, since: now)
        case .reading(.body, _) where unanswered == 1: stage = .reading(.body, since: now)
        default: break
        }
    }

    mutating func switchedProtocol() { stage = .otherProtocol }

    mutating func writeBegan(at now: NIODeadline) {
        if writes == 0 { wroteAt = now }
        writes += 1
    }

    mutating func writeEnded(at now: NIODeadline) {
        writes -= 1
        wroteAt = now
    }

    // MARK: Limits

    /// When a part has lasted too long, and which one; nil if nothing is limited.
    var deadline: (time: NIODeadline, part: Part)? {
        if case .otherProtocol = stage { return nil }
        let writing = writes > 0 ? (time: wroteAt + Part.answer.limit, part: Part.answer) : nil
        guard case .reading(let part, let since) = stage, part != .body || unanswered <= 1 else { return writing }
        let reading = (time: since + part.limit, part: part)
        guard let writing, writing.time <= reading.time else { return reading }
        return writing
    }
}
