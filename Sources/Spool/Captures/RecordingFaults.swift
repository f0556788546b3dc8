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
            guard step == .syncFolder else { return nil }
            self = .syncFolder
            return
        }
        guard SpoolNames.isIn(SpoolNames.recordings, path) else { return nil }
        if path.hasSuffix(".recording.mov") {
            self.init(ofMovie: step)
        } else if path.hasSuffix(".frames.jsonl") {
            self.init(ofSidecar: step)
        } else {
            self.init(ofFinished: step, isTemporary: path.hasSuffix(".tmp"))
        }
    }

    private init?(ofMovie step: FileStep) {
        switch step {
        case .open: self = .openMovie
        case .read: self = .readMovie
        case .write: self = .writeMovie
        case .syncFile: self = .syncMovie
        case .remove: self = .removeMovie
        case .rename, .syncFolder, .syncFileSystem, .makeFolder: return nil
        }
    }

    private init?(ofSidecar step: FileStep) {
        switch step {
        case .open: self = .openSidecar
        case .read: self = .readSidecar
        case .write: self = .writeSidecar
        case .syncFile: self = .syncSidecar
        case .rename: self = .adoptSidecar
        case .remove, .syncFolder, .syncFileSystem, .makeFolder: return nil
        }
    }

    private init?(ofFinished step: FileStep, isTemporary: Bool) {
        switch step {
        case .open where isTemporary: self = .openFinished
        case .write: self = .writeFinished
        case .syncFile: self = .syncFinished
        case .rename: self = isTemporary ? .renameFinished : .adoptFinished
        case .open, .read, .remove, .syncFolder, .syncFileSystem, .makeFolder: return nil
        }
    }
}
