extension Duration {
    /// So many seconds; zero for what is no number, and at most thirty years, so that no configuration can trap.
    init(clampedSeconds seconds: Double) {
        let limit = 1e9
        self = seconds.isNaN ? .zero : .seconds(min(max(seconds, -limit), limit))
    }

    /// So many milliseconds; see ``init(clampedSeconds:)``.
    init(clampedMilliseconds milliseconds: Double) {
        self.init(clampedSeconds: milliseconds / 1000)
    }
}
