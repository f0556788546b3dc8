import CaptureModel

/// What one connected node's spool holds for the library, taken up a page at a time, oldest shot first.
///
/// ```
///        hello                          fewer than `lowMark` files under way, and there is more
///  ──▶ taking ───────────────────────────────────────────────────────────────────────────────▶ asking
///        ▲  │                                                                                  │ every `patience`: again
///        │  │ no more                                     page                                 │
///        │  ▼                        ◀──────────────────────────────────────────────────────────┘
///      resting ── `pause` after the pass, if a file was left behind ──▶ asking, from the oldest
/// ```
///
/// A value without clock or socket. So what the coordinator holds in memory of a node's spool is bounded by a page and
/// the low mark, however much lies there.
struct Backlog: Sendable {
    /// With fewer files than this under way the next page is asked for.
    static let lowMark = 16
    /// How long a page may take before it is asked for again.
    static let patience = Duration.seconds(2)
    /// How long after a pass files that could not be stored are tried again.
    static let pause = Duration.seconds(60)

    enum State: Hashable, Sendable {
        /// The page before is being worked on; there are more after this capture.
        case taking(after: CaptureKey)
        /// The captures after this one have been asked for; all where nil.
        case asking(after: CaptureKey?, since: LocalTime)
        /// Every page was taken up, at this instant.
        case resting(since: LocalTime)
    }

    /// What is to be done.
    enum Action: Hashable, Sendable {
        case request(after: CaptureKey?)
        /// A pass has ended that met this many captures which the library does not know.
        case tell(orphans: Int)
    }

    private(set) var state: State
    /// Files that are being fetched or stored.
    private(set) var underWay: Set<FileKey> = []
    /// Captures of the pass that no shot of the library expects.
    private var orphans = 0
    /// How many of them were told of last.
    private var told = 0
    /// Whether a file was given up that the node still has.
    private(set) var hasLeftBehind = false

    init(at now: LocalTime) {
        state = .resting(since: now)
    }

    /// A node's hello begins a pass.
    mutating func begin(_ page: BacklogPage, at now: LocalTime) -> [Action] {
        orphans = 0
        hasLeftBehind = false
        return accept(page, at: now)
    }

    /// A page came. One that was not asked for, or asked for twice, is ignored.
    /// - Parameter after: What it continues.
    mutating func received(_ page: BacklogPage, after: CaptureKey?, at now: LocalTime) -> [Action] {
        guard expects(after) else { return [] }
        return accept(page, at: now)
    }

    /// Whether a page that continues `after` was asked for.
    func expects(_ after: CaptureKey?) -> Bool {
        if case .asking(let asked, _) = state { asked == after } else { false }
    }

    /// A file is to be fetched.
    mutating func began(_ key: FileKey) {
        underWay.insert(key)
    }

    /// A file lies durable in the library, or was given up.
    /// - Parameter isLeftBehind: Whether it was given up and may still be had later.
    mutating func ended(_ key: FileKey, isLeftBehind: Bool = false, at now: LocalTime) -> [Action] {
        underWay.remove(key)
        if isLeftBehind { hasLeftBehind = true }
        return askOn(at: now)
    }

    mutating func timePassed(at now: LocalTime) -> [Action] {
        switch state {
        case .asking(let after, let since) where now >= since + Self.patience:
            return ask(after: after, at: now)
        case .resting(let since) where hasLeftBehind && now >= since + Self.pause:
            orphans = 0
            hasLeftBehind = false
            return ask(after: nil, at: now)
        case .taking, .asking, .resting:
            return []
        }
    }

    private mutating func accept(_ page: BacklogPage, at now: LocalTime) -> [Action] {
        orphans += page.orphans
        if page.hasMore, let last = page.last {
            state = .taking(after: last)
            return askOn(at: now)
        }
        state = .resting(since: now)
        guard orphans != told else { return [] }
        told = orphans
        return [.tell(orphans: orphans)]
    }

    private mutating func askOn(at now: LocalTime) -> [Action] {
        guard case .taking(let after) = state, underWay.count < Self.lowMark else { return [] }
        return ask(after: after, at: now)
    }

    private mutating func ask(after: CaptureKey?, at now: LocalTime) -> [Action] {
        state = .asking(after: after, since: now)
        return [.request(after: after)]
    }
}

/// A part of a spool's inventory, once it was held against the library.
struct BacklogPage: Hashable, Sendable {
    /// The last capture it lists.
    var last: CaptureKey?
    /// Whether the spool has further ones.
    var hasMore: Bool
    /// Captures that no shot of the library expects.
    var orphans: Int
}
