public import FaultPoints
public import PosixSupport

/// The file work on a spool's recordings, at which a test can make the disk fail.
public enum RecordingFileFault: String, FileFaultPoint {
    case syncFolder = "recording.folder.sync"
    case openMovie = "recording.movie.open"
    case readMovie = "recording.movie.read"
    case writeMovie = "recording.movie.write"
    case syncMovie = "recording.movie.sync"
    case removeMovie = "recording.movie.remove"
    case openSidecar = "recording.sidecar.open"
    case readSidecar = "recording.sidecar.read"
    case writeSidecar = "recording.sidecar.write"
    case syncSidecar = "recording.sidecar.sync"
    /// It becomes a file of its capture.
    case adoptSidecar = "recording.sidecar.adopt"
    case openFinished = "recording.finished.open"
    case writeFinished = "recording.finished.write"
    case syncFinished = "recording.finished.sync"
    case renameFinished = "recording.finished.rename"
    /// It becomes a file of its capture.
    case adoptFinished = "recording.finished.adopt"

    public init?(_ step: FileStep, path: String) {
        guard !path.hasSuffix("/\(SpoolNames.recordings)") else {
            self.init(step, in: "recording", part: nil)
            return
        }
        guard SpoolNames.isIn(SpoolNames.recordings, path) else { return nil }
        let (isSidecar, isTemporary) = (path.hasSuffix(".frames.jsonl"), path.hasSuffix(".tmp"))
        if path.hasSuffix(".recording.mov") {
            self.init(step, in: "recording", part: "movie")
        } else if step == .rename, !isTemporary {
            self = isSidecar ? .adoptSidecar : .adoptFinished
        } else {
            // A finished movie is opened again by who copies it.
            guard isSidecar || isTemporary || step != .open else { return nil }
            self.init(step, in: "recording", part: isSidecar ? "sidecar" : "finished")
        }
    }
}
