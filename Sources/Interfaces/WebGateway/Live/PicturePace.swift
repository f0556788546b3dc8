internal import CaptureModel

/// When the next picture of a camera may go to a page, so that it gets at most the rate for which it has asked. A value type.
///
/// Pictures are due on a grid, so that one which is late does not delay all that follow. A camera of the same rate is never exactly on the
/// grid, so a picture may come a quarter of the interval early. After a pause of more than an interval the grid begins again.
struct PicturePace {
    let interval: Duration
    private var due: LocalTime?

    init(interval: Duration) {
        self.interval = interval
    }

    /// - Returns: The earliest instant for the next picture, after one was sent.
    mutating func next(after sent: LocalTime) -> LocalTime {
        let following = due.map { $0 + interval } ?? sent + interval
        let chosen = following > sent ? following : sent + interval
        due = chosen
        return chosen - interval / 4
    }
}
