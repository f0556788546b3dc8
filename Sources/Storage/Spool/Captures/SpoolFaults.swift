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
    /// A file that was made after its capture gets its name.
    case renameFile = "spool.file.rename"
    case removeFile = "spool.file.remove"
    case readManifest = "spool.manifest.read"
    case writeManifest = "spool.manifest.write"
    case syncManifest = "spool.manifest.sync"
    case renameManifest = "spool.manifest.rename"
    case removeManifest = "spool.manifest.remove"

    public init?(_ step: FileStep, path: String) {
        let others = [SpoolNames.recordings, SpoolNames.deferred]
        guard !path.hasSuffix("/.lock"), !others.contains(where: { SpoolNames.isIn($0, path) }) else { return nil }
        // The folders of others are made here, and made durable there.
        guard step != .syncFolder || !others.contains(where: { path.hasSuffix("/\($0)") }) else { return nil }
        let isManifest = path.hasSuffix(".capture.json") || path.hasSuffix(".capture.json.tmp")
        self.init(step, in: "spool", part: isManifest ? "manifest" : "file")
    }
}

/// Moments at which something of a spool's captures has just become durable.
public enum SpoolFault: String, ThreadFaultPoint {
    /// The files of a capture; its manifest is not there yet.
    case filesDurable = "spool.capture.filesDurable"
    case captureDurable = "spool.capture.durable"
    /// A file that its capture owed is part of it.
    case companionDurable = "spool.companion.durable"
    /// It is written down that a file will not be made.
    case companionGivenUp = "spool.companion.givenUp"
    /// A recording's file lies with its capture, which owes it still.
    case movieAdopted = "spool.movie.adopted"
    /// The files of a recording are part of their capture.
    case movieDurable = "spool.movie.durable"
    /// What is to be made of a clip is written down.
    case workDurable = "spool.deferred.durable"
    /// Nothing of deferred work is owed any more, and it is gone.
    case workRemoved = "spool.deferred.removed"
    /// A file is given up: the manifest names it no more, and it is removed.
    case fileReleased = "spool.capture.released"
}
