import FaultPoints
package import PosixSupport

/// The file work of the roster, at which a test can make the disk fail.
package enum RosterFileFault: String, FileFaultPoint {
    case makeFolder = "roster.folder.make"
    case syncFolder = "roster.folder.sync"
    case read = "roster.file.read"
    case write = "roster.file.write"
    case sync = "roster.file.sync"
    case rename = "roster.file.rename"

    package init?(_ step: FileStep, path: String) {
        self.init(step, in: "roster", part: "file")
    }
}

/// Moments at which the roster has just become durable.
package enum RosterFault: String, ThreadFaultPoint {
    case durable = "roster.file.durable"
}
