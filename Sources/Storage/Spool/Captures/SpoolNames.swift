internal import CaptureModel
public import FaultPoints
public import PosixSupport

/// The names of a spool's files. All are built from validated ids, never from a peer's text.
enum SpoolNames {
    static let captures = "captures"
    static let damaged = "damaged"
    static let controls = "controls"
    static let settings = "settings"
    static let recordings = "recordings"
    static let deferred = "deferred"
    private static let manifestSuffix = "capture.json"

    /// Returns `<shot>.<node>.<device>`, the beginning of every file name of a capture. The parts contain no dot.
    static func stem(_ key: CaptureKey) -> String {
        "\(key.shot).\(key.device.folderName)"
    }

    static func manifest(_ key: CaptureKey) -> String {
        "\(stem(key)).\(manifestSuffix)"
    }

    static func file(_ key: CaptureKey, _ kind: AssetKind) -> String {
        "\(stem(key)).\(kind.fileName)"
    }

    static func deferred(_ key: CaptureKey, _ part: DeferredPart) -> String {
        "\(stem(key)).\(part.rawValue)"
    }

    /// Returns `<node>.<device>.json`, the name in the folders of controls and settings.
    static func controls(_ device: DeviceID) -> String {
        "\(device.folderName).json"
    }

    /// Returns the name, next to a damaged capture, of the file `<shot>.<node>.<device>-…` of its recording.
    static func setAside(_ name: String, recordedFor key: CaptureKey) -> String {
        "\(stem(key)).recording\(name.dropFirst(stem(key).count))"
    }

    static func isManifest(_ name: String) -> Bool {
        name.hasSuffix(".\(manifestSuffix)")
    }

    /// Whether a path is that of a file in one of a spool's folders.
    static func isIn(_ folder: String, _ path: String) -> Bool {
        path.split(separator: "/").dropLast().last.map(String.init) == folder
    }

    /// Returns the capture that a file belongs to; nil for a name that this program did not make.
    static func key(of name: some StringProtocol) -> CaptureKey? {
        let parts = name.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, let shot = ShotID(String(parts[0])), shot.description == parts[0],
            let node = try? NodeName(String(parts[1])), let device = try? DeviceName(String(parts[2]))
        else { return nil }
        return CaptureKey(shot: shot, device: DeviceID(node: node, device: device))
    }
}

extension ContentDigest {
    init(_ digest: [UInt8]) {
        guard let value = ContentDigest(bytes: digest) else { preconditionFailure("SHA-256 has 32 bytes") }
        self = value
    }
}

/// The steps of a spool's file work on recordings at which a test can make the disk fail.
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
    /// The sidecar becomes a file of its capture.
    case adoptSidecar = "recording.sidecar.adopt"
    case openFinished = "recording.finished.open"
    case writeFinished = "recording.finished.write"
    case syncFinished = "recording.finished.sync"
    case renameFinished = "recording.finished.rename"
    /// The movie becomes a file of its capture.
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
            // Copying a finished movie opens it again.
            guard isSidecar || isTemporary || step != .open else { return nil }
            self.init(step, in: "recording", part: isSidecar ? "sidecar" : "finished")
        }
    }
}

/// The steps of a spool's file work on captures at which a test can make the disk fail.
public enum SpoolFileFault: String, FileFaultPoint {
    case makeFolder = "spool.folder.make"
    case syncFolder = "spool.folder.sync"
    case openFile = "spool.file.open"
    case readFile = "spool.file.read"
    case writeFile = "spool.file.write"
    case syncFile = "spool.file.sync"
    /// Renames a file that was made after its capture to its final name.
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
        // These folders are created under this fault point, and made durable under the others.
        guard step != .syncFolder || !others.contains(where: { path.hasSuffix("/\($0)") }) else { return nil }
        let isManifest = path.hasSuffix(".capture.json") || path.hasSuffix(".capture.json.tmp")
        self.init(step, in: "spool", part: isManifest ? "manifest" : "file")
    }
}

/// Moments at which something of a spool's captures has just become durable.
public enum SpoolFault: String, ThreadFaultPoint {
    /// The files of a capture are durable; its manifest does not exist yet.
    case filesDurable = "spool.capture.filesDurable"
    case captureDurable = "spool.capture.durable"
    /// A file that its capture owed is part of the capture.
    case companionDurable = "spool.companion.durable"
    /// It is recorded that a file will not be made.
    case companionGivenUp = "spool.companion.givenUp"
    /// A recording's file is among those of its capture, which still owes it.
    case movieAdopted = "spool.movie.adopted"
    /// The files of a recording are part of their capture.
    case movieDurable = "spool.movie.durable"
    /// The work on a clip is recorded.
    case workDurable = "spool.deferred.durable"
    /// Deferred work of which nothing is owed was removed.
    case workRemoved = "spool.deferred.removed"
    /// A file was released: the manifest does not name it, and it is removed.
    case fileReleased = "spool.capture.released"
}
