internal import CaptureModel

/// What is to be done for the small pictures of a library next.
///
/// | | holds | goes first |
/// |---|---|---|
/// | noted | shots of which something has become durable, at most ``limit``; beyond it the oldest is let go and all is compared | newest |
/// | stale | shots of the day that was compared last whose manifest is another than their pictures were made of | newest |
/// | days | days not compared yet | newest |
/// | all | whether the days are to be listed: at the beginning, after a failure, and after a shot was let go | – |
///
/// Each row's work is done when those above have none; with nothing to do in any of them it rests.
struct PreviewQueue: Sendable {
    /// A shot and where it lies.
    struct Place: Hashable, Sendable {
        var id: ShotID
        /// `YYYY/MM/DD`
        var day: String
    }

    enum Step: Hashable {
        case make(Place)
        case compare(day: String)
        case list
        case rest
    }

    /// Shots noted at most.
    static let limit = 1024

    private(set) var counters = PreviewCounters()
    private var noted: [Place] = []
    private var stale: [Place] = []
    private var days: [String] = []
    private var isListed = false

    /// A manifest of this shot has become durable.
    mutating func note(_ place: Place) {
        counters.noted &+= 1
        if let index = noted.lastIndex(of: place) {
            noted.remove(at: index)
        } else if noted.count >= Self.limit {
            noted.removeFirst()
            counters.overflows &+= 1
            isListed = false
        }
        noted.append(place)
    }

    mutating func next() -> Step {
        if let place = noted.popLast() ?? stale.popLast() { return .make(place) }
        if let day = days.popLast() { return .compare(day: day) }
        guard !isListed else { return .rest }
        isListed = true
        return .list
    }

    /// - Parameter days: All there are, of the library and of the small pictures, in any order.
    mutating func listed(_ days: Set<String>) {
        self.days = days.sorted()
        if days.isEmpty { counters.comparisons &+= 1 }
    }

    /// What comparing a day has found, oldest first.
    mutating func compared(_ stale: [Place]) {
        self.stale = stale
        if days.isEmpty { counters.comparisons &+= 1 }
    }

    mutating func made(isReadable: Bool) {
        if isReadable { counters.made &+= 1 } else { counters.unreadable &+= 1 }
    }

    /// The disk has failed: all is compared again.
    mutating func failed() {
        counters.failures &+= 1
        (stale, days, isListed) = ([], [], false)
    }
}

/// What making small pictures has done since it began.
public struct PreviewCounters: Hashable, Sendable {
    /// Changes that it was told of.
    public var noted = 0
    /// Shots for which there was no room, so that the whole library was compared again.
    public var overflows = 0
    /// Files of which the small pictures were made.
    public var made = 0
    /// Files of which none can be made.
    public var unreadable = 0
    /// Comparisons of the whole library that came to their end.
    public var comparisons = 0
    /// Failures of the disk.
    public var failures = 0
}
