package import CaptureModel

/// The files of one connected node's spool that the library needs, collected one page at a time, oldest shot first.
///
/// ```
///        hello                          fewer than `lowMark` files in progress, and there are more pages
///  ──▶ paging ───────────────────────────────────────────────────────────────────────────────▶ asking
///        ▲  │                                                                                  │ every `patience`: again
///        │  │ no more                                     page                                 │
///        │  ▼                        ◀──────────────────────────────────────────────────────────┘
///      resting ── `pause` after the pass, if a file was left behind ──▶ asking, from the oldest
/// ```
///
/// A value without a clock or a socket. The coordinator's memory for a node's spool is bounded by a page and the low
/// mark, whatever the size of the spool.
struct Backlog: Sendable {
    /// The next page is requested when fewer files than this are in progress.
    static let lowMark = 16
    /// How long a page may take before it is requested again.
    static let patience = Duration.seconds(2)
    /// Time from the end of a pass until files that could not be stored are tried again.
    static let pause = Duration.seconds(60)

    enum State: Hashable, Sendable {
        /// The previous page is being processed. There are more captures after this one.
        case paging(after: CaptureKey)
        /// The captures after this one have been requested; all if nil.
        case asking(after: CaptureKey?, since: LocalTime)
        /// The last page was accepted at this instant.
        case resting(since: LocalTime)
    }

    /// An action for the owner.
    enum Action: Hashable, Sendable {
        case request(after: CaptureKey?)
        /// A pass has ended that met this many captures that the library does not know.
        case tell(orphans: Int)
    }

    private(set) var state: State
    /// Files that are being fetched or stored.
    private(set) var underWay: Set<FileKey> = []
    /// Number of captures in this pass that no shot of the library expects.
    private var orphans = 0
    /// The number that was last reported.
    private var told = 0
    /// Whether a file was given up that the node still has.
    private(set) var hasLeftBehind = false

    init(at now: LocalTime) {
        state = .resting(since: now)
    }

    /// Begins a pass with a node's hello.
    mutating func begin(_ page: BacklogPage, at now: LocalTime) -> [Action] {
        orphans = 0
        hasLeftBehind = false
        return accept(page, at: now)
    }

    /// Processes a page. A page that was not requested, or a repeated page, is ignored.
    /// - Parameter after: The capture after which the page begins.
    mutating func received(_ page: BacklogPage, after: CaptureKey?, at now: LocalTime) -> [Action] {
        guard expects(after) else { return [] }
        return accept(page, at: now)
    }

    /// Returns whether a page that follows `after` was requested.
    func expects(_ after: CaptureKey?) -> Bool {
        if case .asking(let asked, _) = state { asked == after } else { false }
    }

    /// Notes that a file is to be fetched.
    mutating func began(_ key: FileKey) {
        underWay.insert(key)
    }

    /// Notes that a file is durable in the library or was given up.
    /// - Parameter isLeftBehind: Whether the file was given up and may still be available later.
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
        case .paging, .asking, .resting:
            return []
        }
    }

    private mutating func accept(_ page: BacklogPage, at now: LocalTime) -> [Action] {
        orphans += page.orphans
        if page.hasMore, let last = page.last {
            state = .paging(after: last)
            return askOn(at: now)
        }
        state = .resting(since: now)
        guard orphans != told else { return [] }
        told = orphans
        return [.tell(orphans: orphans)]
    }

    private mutating func askOn(at now: LocalTime) -> [Action] {
        guard case .paging(let after) = state, underWay.count < Self.lowMark else { return [] }
        return ask(after: after, at: now)
    }

    private mutating func ask(after: CaptureKey?, at now: LocalTime) -> [Action] {
        state = .asking(after: after, since: now)
        return [.request(after: after)]
    }
}

/// A part of a spool's inventory, after comparison with the library.
struct BacklogPage: Hashable, Sendable {
    /// The last capture it lists.
    var last: CaptureKey?
    /// Whether the spool has more captures.
    var hasMore: Bool
    /// Captures that no shot of the library expects.
    var orphans: Int
}

extension RigProblem {
    /// Whether storing a file may succeed later, because the disk is at fault and not the file.
    package var mayPass: Bool { code == .noSpace || code == .inputOutput }
}
