public import FaultPoints
public import PosixSupport

/// The file work of a library, at which a test can make the disk fail.
public enum LibraryFileFault: String, FileFaultPoint {
    case makeFolder = "library.folder.make"
    case syncFolder = "library.folder.sync"
    case removeFolder = "library.folder.remove"
    case syncFileSystem = "library.fileSystem.sync"
    case openPart = "library.part.open"
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
        self.init(step, in: "library", part: Self.part(step, path))
    }

    private static func part(_ step: FileStep, _ path: String) -> String {
        func isNamed(_ name: String) -> Bool { path.hasSuffix("/\(name)") || path.hasSuffix("/\(name).tmp") }
        if isNamed(FolderNames.annotation) { return "annotation" }
        if path.hasSuffix(".part") { return "part" }
        if isNamed("shot.json") || isNamed("take.json") { return "manifest" }
        return switch step {
        case .remove: "folder"
        // Nothing else is made durable, or given its name.
        case .syncFile, .rename: "manifest"
        default: "file"
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
