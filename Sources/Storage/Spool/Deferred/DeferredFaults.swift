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
        guard path.hasSuffix("/\(SpoolNames.deferred)") || SpoolNames.isIn(SpoolNames.deferred, path) else {
            return nil
        }
        self.init(step, in: "deferred", part: step == .remove ? "file" : Self.part(path))
    }

    private static func part(_ path: String) -> String? {
        let part = DeferredPart.allCases.first {
            path.hasSuffix(".\($0.rawValue)") || path.hasSuffix(".\($0.rawValue).tmp")
        }
        return switch part {
        case .work: "work"
        case .clip: "clip"
        case .scratch: "movie"
        case .still, .scratchStill, nil: nil
        }
    }
}
