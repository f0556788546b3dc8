public import CaptureModel
public import FaultPoints
internal import FoundationEssentials
public import PosixSupport
internal import ShotDocuments

/// The content of a `work.json`. The keys are written out, so that a name in Swift can change without the format.
struct DeferredWorkDocument: Codable {
    static let currentSchemaVersion = 1

    var schemaVersion = DeferredWorkDocument.currentSchemaVersion
    var key: CaptureKey
    var kinds: [AssetKind]
    var clipCodec: ClipCodec?
    var clip: ClipTiming?
    var attempts: [String: Int]?
    var byteCount: Int64

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case key = "key"
        case kinds = "kinds"
        case clipCodec = "clipCodec"
        case clip = "clip"
        case attempts = "attempts"
        case byteCount = "byteCount"
    }

    init(_ value: DeferredWork) {
        key = value.key
        kinds = value.kinds
        clipCodec = value.clipCodec
        clip = value.clip
        attempts = value.attempts
        byteCount = value.byteCount
    }

    var value: DeferredWork {
        var value = DeferredWork(key: key, kinds: kinds, clipCodec: clipCodec, clip: clip)
        value.attempts = attempts
        value.byteCount = byteCount
        return value
    }
}

extension DeferredWork {
    /// - Returns: nil if the bytes are not such a file, or a newer version's.
    init?(_ bytes: [UInt8]) {
        guard let document = try? JSONDecoder().decode(DeferredWorkDocument.self, from: Data(bytes)),
            document.schemaVersion == DeferredWorkDocument.currentSchemaVersion,
            document.byteCount >= 0, document.byteCount < .max / 4096
        else { return nil }
        self = document.value
    }

    func encoded() throws(SpoolError) -> [UInt8] {
        try StoredJSON.spoolDocument(DeferredWorkDocument(self), "the work on \(key)")
    }
}

/// The steps of a spool's file work on deferred work at which a test can make the disk fail. (Files that a separate program writes there
/// have no fault points.)
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
    /// Reads the movie from which a motion photo is assembled.
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

/// The content of the folder of deferred work at a start.
struct DeferredScan {
    /// The work that can still be done, by capture.
    private(set) var works: [CaptureKey: DeferredWork] = [:]

    private let folder: Folder
    private static let byteLimit = 1 << 20

    /// Reads the folder. Ignores work that cannot be read or that lacks a source file: its capture reports that it was not finished.
    init(_ folder: Folder) throws(PosixError) {
        self.folder = folder
        for name in try folder.names() {
            guard let key = SpoolNames.key(of: name), name == SpoolNames.deferred(key, .work),
                let bytes = try? folder.read(name, limit: Self.byteLimit), let work = DeferredWork(bytes),
                work.key == key, Set(work.kinds.flatMap(\.deferredSources)).allSatisfy({ hasFile(key, $0) })
            else { continue }
            works[key] = work
        }
    }

    private func hasFile(_ key: CaptureKey, _ part: DeferredPart) -> Bool {
        (try? folder.entry(SpoolNames.deferred(key, part)))??.kind == .file
    }

    /// Forgets and removes what no capture owes.
    /// - Parameter newer: Captures of a newer version, whose work this version must not change.
    mutating func sweep(_ reports: [CaptureKey: CaptureReport], newer: Set<CaptureKey>) throws(PosixError) {
        works = works.filter { key, work in reports[key].map { work.isOwed(by: $0) } ?? false }
        for name in try folder.names() {
            guard let key = SpoolNames.key(of: name), works[key] == nil, !newer.contains(key) else { continue }
            // A file that cannot be removed only uses space. The next start tries again.
            try? folder.remove(name)
        }
    }
}

extension DeferredWork {
    /// Whether the capture still owes any of its files.
    func isOwed(by report: CaptureReport) -> Bool { kinds.contains(where: report.owed.contains) }
}

/// The files still to be made of a capture after it was stored, in this or a later run of the agent.
///
/// | file | is made of | is kept with |
/// |---|---|---|
/// | ``AssetKind/photoHEIC`` | the still | the capture itself |
/// | ``AssetKind/pairedVideo``, encoded | the recorded clip | the recorded clip |
/// | ``AssetKind/motionPhoto`` | the recorded clip and the still | the recorded clip |
public struct DeferredWork: Hashable, Sendable {
    public var key: CaptureKey
    /// The files to make, in their order. Those that the capture owes are still to be made.
    public var kinds: [AssetKind]
    /// The codec for the pictures of ``AssetKind/pairedVideo``.
    public var clipCodec: ClipCodec?
    /// When the frames of the clip were exposed; nil if no file is made of a clip yet.
    public var clip: ClipTiming?
    /// How often each file was begun and not ended in an orderly way, by the name of its kind.
    var attempts: [String: Int]?
    /// The bytes of the source files, once they are kept.
    public internal(set) var byteCount: Int64 = 0

    public init(key: CaptureKey, kinds: [AssetKind], clipCodec: ClipCodec? = nil, clip: ClipTiming? = nil) {
        self.key = key
        self.kinds = kinds
        self.clipCodec = clipCodec
        self.clip = clip
    }

    /// Adds earlier work of the same capture, which continues in addition to this.
    func joined(with earlier: DeferredWork?) -> DeferredWork {
        var joined = self
        joined.kinds = (earlier?.kinds.filter { !kinds.contains($0) } ?? []) + kinds
        joined.attempts = earlier?.attempts
        joined.clipCodec = clipCodec ?? earlier?.clipCodec
        joined.clip = clip ?? earlier?.clip
        return joined
    }
}

/// A file of deferred work.
public enum DeferredPart: String, CaseIterable, Sendable {
    /// The work itself. It is written after its source files, so its presence means that they are complete.
    case work = "work.json"
    /// The recorded clip.
    case clip = "clip.mov"
    /// The still, which is kept until the work is done, even if the library has it earlier.
    case still = "photo.jpg"
    /// The file that is being made. It is removed when the work is done.
    case scratch = "scratch.mp4"
    case scratchStill = "scratch.heic"
}

extension AssetKind {
    /// The sources of a deferred file; empty for any other kind.
    var deferredSources: [DeferredPart] {
        switch self {
        case .photoHEIC: [.still]
        case .pairedVideo: [.clip]
        case .motionPhoto: [.clip, .still]
        case .photo, .photo2, .photo3, .photo4, .photo5, .preview, .alternatePhoto, .cameraRaw, .movie, .frames: []
        }
    }
}
