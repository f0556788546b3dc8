import FaultPoints
import PosixSupport

/// The file work of the feed's journal, where a test can make the disk fail. Deleting the oldest file has no fault
/// point: it happens only when the journal is full, which a test of a few seconds does not reach.
enum FeedFileFault: String, FileFaultPoint {
    case openFile = "feed.file.open"
    case readFile = "feed.file.read"
    case writeRecord = "feed.record.write"

    init?(_ step: FileStep, path: String) {
        guard path.hasSuffix(".events") else { return nil }
        self.init(step, in: "feed", part: step == .write ? "record" : "file")
    }
}
