public import FaultPoints
public import PosixSupport

/// The file work of a library, at which a test can make the disk fail.
public enum LibraryFileFault: String, FileFaultPoint {
    case makeFolder = "library.folder.make"
    case syncFolder = "library.folder.sync"
    case removeFolder = "library.folder.remove"
    case syncFileSystem = "library.fileSystem.sync"
    case openPart = "library.part.open"
    case readPart = "library.part.read"
    case writePart = "library.part.write"
    case syncPart = "library.part.sync"
    case renamePart = "library.part.rename"
    case removePart = "library.part.remove"
    case readFile = "library.file.read"
    case readManifest = "library.manifest.read"
    case writeManifest = "library.manifest.write"
    case syncManifest = "library.manifest.sync"
    case renameManifest = "library.manifest.rename"
    case readAnnotation = "library.annotation.read"
    case writeAnnotation = "library.annotation.write"
    case syncAnnotation = "library.annotation.sync"
    case renameAnnotation = "library.annotation.rename"
    case removeAnnotation = "library.annotation.remove"

    public init?(_ step: FileStep, path: String) {
        let annotation = "/\(LibraryNames.annotation)"
        guard !path.hasSuffix(annotation), !path.hasSuffix("\(annotation).tmp") else {
            self.init(ofAnnotation: step)
            return
        }
        let isPart = path.hasSuffix(".part")
        let isManifest = ["shot.json", "take.json"].contains {
            path.hasSuffix("/\($0)") || path.hasSuffix("/\($0).tmp")
        }
        switch step {
        case .makeFolder: self = .makeFolder
        case .syncFolder: self = .syncFolder
        case .syncFileSystem: self = .syncFileSystem
        case .open where isPart: self = .openPart
        case .read: self = isPart ? .readPart : isManifest ? .readManifest : .readFile
        case .write where isPart: self = .writePart
        case .write where isManifest: self = .writeManifest
        case .syncFile: self = isPart ? .syncPart : .syncManifest
        case .rename: self = isPart ? .renamePart : .renameManifest
        case .remove where isPart: self = .removePart
        case .remove where !isManifest: self = .removeFolder
        case .open, .write, .remove: return nil
        }
    }

    private init?(ofAnnotation step: FileStep) {
        switch step {
        case .read: self = .readAnnotation
        case .write: self = .writeAnnotation
        case .syncFile: self = .syncAnnotation
        case .rename: self = .renameAnnotation
        case .remove: self = .removeAnnotation
        case .open, .syncFolder, .syncFileSystem, .makeFolder: return nil
        }
    }
}

/// Moments at which something of a library has just become durable, or has been received.
public enum LibraryFault: String, ThreadFaultPoint {
    case chunkReceived = "library.part.received"
    /// The bytes of files, which are not in place yet.
    case bytesDurable = "library.file.bytesDurable"
    /// Files are in place; their names are not durable yet.
    case filesPlaced = "library.file.placed"
    case filesDurable = "library.file.durable"
    case manifestDurable = "library.manifest.durable"
    /// What people say about a shot, which they have not been answered.
    case annotationDurable = "library.annotation.durable"
}
