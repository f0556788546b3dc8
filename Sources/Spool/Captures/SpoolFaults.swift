public import FaultPoints
public import PosixSupport

/// The file work of a spool's captures, at which a test can make the disk fail.
public enum SpoolFileFault: String, FileFaultPoint {
    case makeFolder = "spool.folder.make"
    case syncFolder = "spool.folder.sync"
    case openFile = "spool.file.open"
    case readFile = "spool.file.read"
    case writeFile = "spool.file.write"
    case syncFile = "spool.file.sync"
    case removeFile = "spool.file.remove"
    case readManifest = "spool.manifest.read"
    case writeManifest = "spool.manifest.write"
    case syncManifest = "spool.manifest.sync"
    case renameManifest = "spool.manifest.rename"
    case removeManifest = "spool.manifest.remove"

    public init?(_ step: FileStep, path: String) {
        guard !path.hasSuffix("/.lock") else { return nil }
        let isManifest = path.hasSuffix(".capture.json") || path.hasSuffix(".capture.json.tmp")
        switch step {
        case .makeFolder: self = .makeFolder
        case .syncFolder: self = .syncFolder
        case .open where !isManifest: self = .openFile
        case .read: self = isManifest ? .readManifest : .readFile
        case .write: self = isManifest ? .writeManifest : .writeFile
        case .syncFile: self = isManifest ? .syncManifest : .syncFile
        case .rename where isManifest: self = .renameManifest
        case .remove: self = isManifest ? .removeManifest : .removeFile
        case .open, .rename, .syncFileSystem: return nil
        }
    }
}

/// Moments at which something of a spool's captures has just become durable.
public enum SpoolFault: String, ThreadFaultPoint {
    /// The files of a capture; its manifest is not there yet.
    case filesDurable = "spool.capture.filesDurable"
    case captureDurable = "spool.capture.durable"
    /// A file that its capture owed is part of it.
    case companionDurable = "spool.companion.durable"
    /// A file is given up: the manifest names it no more, and it is removed.
    case fileReleased = "spool.capture.released"
}
