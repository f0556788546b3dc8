import FaultPoints
package import PosixSupport

/// Where the coordinator's tasks of the feed wait.
package enum FeedWaitFault: String, TaskFaultPoint {
    case beat = "coordinator.feed.wait.beat"
    /// An event is about to be journaled.
    case journal = "coordinator.feed.wait.journal"
    /// It has been, and is about to be published.
    case journaled = "coordinator.feed.wait.journaled"
}

/// The file work of the feed's journal, at which a test can make the disk fail. (Its oldest file goes only when the
/// journal is full, which no test of a few seconds brings about.)
package enum FeedFileFault: String, FileFaultPoint {
    case openFile = "feed.file.open"
    case readFile = "feed.file.read"
    case writeRecord = "feed.record.write"

    package init?(_ step: FileStep, path: String) {
        guard path.hasSuffix(".events") else { return nil }
        self.init(step, in: "feed", part: step == .write ? "record" : "file")
    }
}
