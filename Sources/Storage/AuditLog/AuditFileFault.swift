public import FaultPoints
public import PosixSupport

/// The steps of an audit log's file work at which a test can make the disk fail.
public enum AuditFileFault: String, FileFaultPoint {
    case makeFolder = "audit.folder.make"
    case syncFolder = "audit.folder.sync"
    case openFile = "audit.file.open"
    case readFile = "audit.file.read"
    case writeFile = "audit.file.write"
    case syncFile = "audit.file.sync"
    case removeFile = "audit.file.remove"

    public init?(_ step: FileStep, path: String) {
        self.init(step, in: "audit", part: path.hasSuffix(AuditSegment.suffix) ? "file" : nil)
    }
}
