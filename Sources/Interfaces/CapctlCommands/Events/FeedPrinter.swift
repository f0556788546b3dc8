internal import RigClient

/// Prints what comes over the feed: an event is one line, what happens to the feed itself goes to standard error.
struct FeedPrinter {
    var format: OutputFormat
    /// The coordinator's endpoint, as the person gave it.
    var coordinator: String
    var console: Console

    /// Prints an item.
    /// - Returns: Whether it was an event.
    func show(_ item: RigFeedItem) throws -> Bool {
        switch item {
        case .event(let event):
            switch format {
            case .table: console.write(EventLine(event).text + "\n")
            case .json: console.write(try JSONText.line(EventDocument(event)))
            }
            return true
        case .skipped(let count):
            console.note("capctl: \(count) events are lost; the coordinator no longer holds them\n")
        case .restarted:
            console.note("capctl: the coordinator has started anew\n")
        case .silent:
            console.note("capctl: the coordinator at \(coordinator) is silent; waiting for it\n")
        }
        return false
    }
}
