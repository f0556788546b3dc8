public import FaultPoints
public import PosixSupport

/// The file work of an event journal, at which a test can make the disk fail.
public enum JournalFileFault: String, FileFaultPoint {
    case openFile = "events.file.open"
    case readFile = "events.file.read"
    case writeRecord = "events.record.write"
    case removeFile = "events.file.remove"

    public init?(_ step: FileStep, path: String) {
        guard path.hasSuffix(".events") else { return nil }
        self.init(step, in: "events", part: step == .write ? "record" : "file")
    }
}

/// Moments at which an event journal has just handed something to the kernel.
public enum JournalFault: String, ThreadFaultPoint {
    case appended = "events.record.appended"
    case acknowledged = "events.record.acknowledged"
}
