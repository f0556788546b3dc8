public import FaultPoints
public import PosixSupport

/// The file work on what a spool keeps for deferred work, at which a test can make the disk fail. (What a program of its
/// own writes there has no points.)
public enum DeferredFileFault: String, FileFaultPoint {
    case syncFolder = "deferred.folder.sync"
    case removeFile = "deferred.file.remove"
    case readWork = "deferred.work.read"
    case writeWork = "deferred.work.write"
    case syncWork = "deferred.work.sync"
    case renameWork = "deferred.work.rename"
    case openClip = "deferred.clip.open"
    case readClip = "deferred.clip.read"
    case writeClip = "deferred.clip.write"
    case syncClip = "deferred.clip.sync"
    case renameClip = "deferred.clip.rename"
    /// Of the movie that a motion photo is joined from.
    case readMovie = "deferred.movie.read"
    case syncMovie = "deferred.movie.sync"
    case renameMovie = "deferred.movie.rename"

    public init?(_ step: FileStep, path: String) {
        guard !path.hasSuffix("/\(SpoolNames.deferred)") else {
            guard step == .syncFolder else { return nil }
            self = .syncFolder
            return
        }
        guard SpoolNames.isIn(SpoolNames.deferred, path) else { return nil }
        guard step != .remove else {
            self = .removeFile
            return
        }
        let part = DeferredPart.allCases.first {
            path.hasSuffix(".\($0.rawValue)") || path.hasSuffix(".\($0.rawValue).tmp")
        }
        switch part {
        case .work: self.init(ofWork: step)
        case .clip: self.init(ofClip: step)
        case .scratch: self.init(ofMovie: step)
        case .still, .scratchStill, nil: return nil
        }
    }

    private init?(ofWork step: FileStep) {
        switch step {
        case .read: self = .readWork
        case .write: self = .writeWork
        case .syncFile: self = .syncWork
        case .rename: self = .renameWork
        case .open, .remove, .syncFolder, .syncFileSystem, .makeFolder: return nil
        }
    }

    private init?(ofClip step: FileStep) {
        switch step {
        case .open: self = .openClip
        case .read: self = .readClip
        case .write: self = .writeClip
        case .syncFile: self = .syncClip
        case .rename: self = .renameClip
        case .remove, .syncFolder, .syncFileSystem, .makeFolder: return nil
        }
    }

    private init?(ofMovie step: FileStep) {
        switch step {
        case .read: self = .readMovie
        case .syncFile: self = .syncMovie
        case .rename: self = .renameMovie
        case .open, .write, .remove, .syncFolder, .syncFileSystem, .makeFolder: return nil
        }
    }
}
