internal import CaptureModel
public import FaultPoints
internal import OpenSSL
public import PosixSupport
internal import StorageKit

/// A file that the library is receiving: its part under `.incoming/`, and the hash of the received bytes.
///
/// The part is made durable one window at a time. The kernel is asked early to write, so that little is left when the window is synced. So
/// nothing that waits for another file of the disk waits for all of this one.
struct IncomingFile {
    let content: AssetContent
    /// Bytes received.
    private(set) var offset: Int64 = 0
    /// Bytes that survive a power cut. ``durableHash`` is their hash.
    private(set) var durableOffset: Int64 = 0
    private var hash = SHA256()
    private var durableHash = SHA256()
    /// nil while the upload is suspended.
    private(set) var part: OpenFile?

    init(part: OpenFile, content: AssetContent) {
        self.part = part
        self.content = content
    }

    /// The bytes after which the kernel is asked to start writing.
    static let writeBack: Int64 = 2 << 20
    /// The most bytes that a power cut may lose.
    static let window: Int64 = 8 << 20

    /// Appends bytes. After an error, call ``rollBack()``.
    mutating func append(_ bytes: any AssetBytes) throws(PosixError) {
        try write(bytes)
        let before = offset
        offset += Int64(bytes.count)
        if offset / Self.window > before / Self.window {
            try part?.syncData()
            (durableOffset, durableHash) = (offset, hash)
        } else if offset / Self.writeBack > before / Self.writeBack {
            part?.startWriteBack()
        }
    }

    /// Writes and hashes the bytes in place, without a copy.
    private mutating func write(_ bytes: any AssetBytes) throws(PosixError) {
        let failure: PosixError? = bytes.withSpan { bytes in
            do throws(PosixError) { try part?.write(bytes) } catch { return error }
            hash.update(bytes)
            return nil
        }
        if let failure { throw failure }
    }

    /// Goes back to the durable bytes, since it is unknown what else the part contains.
    mutating func rollBack() {
        part = nil
        (offset, hash) = (durableOffset, durableHash)
    }

    /// Releases the descriptor.
    mutating func suspend() {
        part = nil
    }

    /// Continues with the part.
    /// - Returns: Whether it still has all received bytes.
    mutating func resume(_ part: OpenFile) throws(PosixError) -> Bool {
        let byteCount = try part.byteCount()
        guard byteCount >= offset else { return false }
        if byteCount > offset { try part.setByteCount(offset) }
        self.part = part
        return true
    }

    var isComplete: Bool { offset == content.byteCount }

    /// The digest of the received bytes.
    var foundDigest: ContentDigest { ContentDigest(hash.finalize()) }

    func sync() throws(PosixError) {
        try part?.sync()
    }
}

/// The steps of a library's file work at which a test can make the disk fail.
public enum LibraryFileFault: String, FileFaultPoint {
    case makeFolder = "library.folder.make"
    case syncFolder = "library.folder.sync"
    case removeFolder = "library.folder.remove"
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
        // No other files are synced or renamed.
        case .syncFile, .rename: "manifest"
        default: "file"
        }
    }
}

/// Moments at which something of a library has just become durable, or has been received.
public enum LibraryFault: String, ThreadFaultPoint {
    case chunkReceived = "library.part.received"
    /// The bytes of files are durable; the files are not in place yet.
    case bytesDurable = "library.file.bytesDurable"
    /// Files are in place; their names are not durable yet.
    case filesPlaced = "library.file.placed"
    case filesDurable = "library.file.durable"
    case manifestDurable = "library.manifest.durable"
    /// The title and note of a shot are durable; their writer has no answer yet.
    case annotationDurable = "library.annotation.durable"
    /// That a shot is to be deleted is durable; the shot is in its place.
    case deletionRecorded = "library.deletion.recorded"
    /// The shot is in no day's folder; its files exist.
    case deletionMoved = "library.deletion.moved"
    /// The files are removed; the record is not with those of other deleted shots.
    case deletionEmptied = "library.deletion.emptied"
    case deletionFiled = "library.deletion.filed"
}
