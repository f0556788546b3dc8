internal import CaptureModel

/// What has become of requests with an `Idempotency-Key`. A value type.
///
/// | a request whose key … | decision |
/// |---|---|
/// | is new | carried out, and noted as under way |
/// | belongs to the same request, which is under way | refused: repeat it in a moment |
/// | belongs to the same request, which was answered | its answer again |
/// | belongs to another request | refused |
/// | is new, while its requester has ``limitOfRequester`` requests under way | refused |
///
/// Answers are kept for ``validity``, the newest ``limitOfRequester`` of a requester and the newest ``limit`` of all. A request whose answer does
/// not say what became of it is forgotten, so that its repeat is carried out.
struct IdempotencyKeys<Answer: Sendable>: Sendable {
    static var limit: Int { 256 }
    static var limitOfRequester: Int { 64 }
    static var validity: Duration { .seconds(600) }

    struct Key: Hashable, Sendable {
        /// Distinguishes requesters.
        var requester: ContentDigest
        var text: String
    }

    enum Decision {
        /// Whoever carries it out calls ``end(_:with:)``.
        case new
        case underWay
        case answered(Answer)
        case other
        case tooMany
    }

    fileprivate enum State {
        case underWay
        case answered(Answer, until: LocalTime)
    }

    private var entries: [Key: (content: ContentDigest, state: State)] = [:]
    /// Keys that were answered, in that order.
    private var answered: [Key] = []

    /// - Parameter content: Distinguishes requests.
    mutating func begin(_ key: Key, _ content: ContentDigest, at now: LocalTime) -> Decision {
        removeEnded(at: now)
        if let entry = entries[key] {
            guard entry.content == content else { return .other }
            return switch entry.state {
            case .underWay: .underWay
            case .answered(let answer, _): .answered(answer)
            }
        }
        let underWay = entries.count { $0.key.requester == key.requester && $0.value.state.isUnderWay }
        guard underWay < Self.limitOfRequester, entries.count - answered.count < Self.limit else { return .tooMany }
        entries[key] = (content, .underWay)
        return .new
    }

    /// - Parameter answer: nil if it does not say what became of the request.
    mutating func end(_ key: Key, with answer: Answer?, at now: LocalTime) {
        guard let entry = entries[key], entry.state.isUnderWay else { return }
        guard let answer else {
            entries[key] = nil
            return
        }
        entries[key]?.state = .answered(answer, until: now + Self.validity)
        answered.append(key)
        let own = answered.filter { $0.requester == key.requester }
        if own.count > Self.limitOfRequester { remove(own[0]) }
        if answered.count > Self.limit { remove(answered[0]) }
    }

    private mutating func remove(_ key: Key) {
        entries[key] = nil
        answered.removeAll { $0 == key }
    }

    private mutating func removeEnded(at now: LocalTime) {
        while let key = answered.first, case .answered(_, let end)? = entries[key]?.state, end <= now { remove(key) }
    }
}

extension IdempotencyKeys.State {
    fileprivate var isUnderWay: Bool {
        if case .underWay = self { true } else { false }
    }
}
