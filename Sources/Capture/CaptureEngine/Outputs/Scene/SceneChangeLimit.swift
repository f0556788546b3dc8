import CaptureModel

/// Keeps changes of a scene from following one another too quickly: what comes too soon waits, the newest in place of
/// those before, and is told with their count once the time has come.
struct SceneChangeLimit: Hashable, Sendable {
    /// The shortest time from one that is told to the next.
    static let interval = Duration.seconds(5)

    private var lastTold: LocalTime?
    private var waiting: SceneChange?

    /// - Parameters:
    ///   - change: One that has come, if any.
    ///   - now: An instant not before those of earlier calls.
    /// - Returns: One that is to be told.
    mutating func pass(_ change: SceneChange?, at now: LocalTime) -> SceneChange? {
        if var change {
            change.count += waiting?.count ?? 0
            waiting = change
        }
        guard let waiting, lastTold.map({ now >= $0 + Self.interval }) ?? true else { return nil }
        (lastTold, self.waiting) = (now, nil)
        return waiting
    }

    mutating func forgetWaiting() {
        waiting = nil
    }
}
