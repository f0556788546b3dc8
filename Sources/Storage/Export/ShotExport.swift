public import CaptureModel
public import PosixSupport
public import StorageKit

/// Exports the files of shots to a folder or as an archive.
public struct ShotExport: Sendable {
    /// Gives a stored file a second name in a folder, instead of copying it.
    public typealias Linking = @Sendable (_ key: FileKey, _ folder: Folder, _ name: String) throws(PosixError) -> Void

    private let store: any ShotLookup & AssetRangeReading
    private let link: Linking?

    /// - Parameter link: Links a file of the store, if this is possible. Changing a linked file in place changes the store's. If it is nil
    ///   or throws, files are copied.
    public init(_ store: any ShotLookup & AssetRangeReading, link: Linking? = nil) {
        self.store = store
        self.link = link
    }

    /// Exports the files of shots to a folder that did not exist or was empty. The folder appears in one step, complete. Every file is
    /// hashed while it is copied. A file that differs from its manifest is left out and reported.
    ///
    /// Blocks on the disk of the folder until every file is written.
    /// - Parameters:
    ///   - path: The folder to create. Its parent must exist.
    ///   - progress: Called after each file with the number of files done and the total.
    /// - Returns: The outcome of each file. If no file can be exported, no folder is created.
    /// - Throws: `unknownShot`, `corrupted`, `conflict` if the folder is not empty, a timeline of a shot is requested, or stills of a take
    ///   are; `noSpace`, `inputOutput`. Nothing is left behind then.
    public func run(
        _ ids: [ShotID], as layout: ExportLayout, to path: String,
        progress: (_ done: Int, _ count: Int) -> Void = { _, _ in }
    ) async throws(ExportError) -> ExportReport {
        let plan = try await plan(ids, layout)
        let target = try ExportFolder(path, link: link)
        do throws(ExportError) {
            var writer = ExportWriter(store, plan, target)
            let report = try await writer.run(progress)
            if report.isEmpty { target.discard() } else { try target.publish() }
            return report
        } catch {
            target.discard()
            throw error
        }
    }

    /// Prepares an archive with the files that ``run(_:as:to:progress:)`` would put into a folder. Reads no file of the shots.
    /// - Throws: `unknownShot`, `corrupted`, `inputOutput`, `conflict` if a timeline of a shot is requested, stills of a take are, or no file
    ///   of the shots is stored that the layout includes.
    public func archive(_ ids: [ShotID], as layout: ExportLayout) async throws(ExportError) -> ExportArchive {
        try await ExportArchive(store, plan(ids, layout))
    }

    private func plan(_ ids: [ShotID], _ layout: ExportLayout) async throws(ExportError) -> ExportPlan {
        var shots: [Shot] = []
        for id in ids where !shots.contains(where: { $0.id == id }) { shots.append(try await shot(id, for: layout)) }
        return ExportPlan(layout, shots: shots)
    }

    private func shot(_ id: ShotID, for layout: ExportLayout) async throws(ExportError) -> Shot {
        let found: Shot?
        do throws(StorageError) { found = try await store.shot(id) } catch { throw ExportError(error) }
        guard let shot = found else {
            throw ExportError(.unknownShot, "export", id, "the library \(store.location) has no shot \(id)")
        }
        guard layout != .timeline || shot.take != nil else {
            throw ExportError(.conflict, "export", id, "\(id) is a shot; only takes have a timeline")
        }
        guard !layout.takesStillsOnly || shot.take == nil else {
            throw ExportError(
                .conflict, "export", id,
                "\(id) is a take; the layout '\(layout.rawValue)' is for stills, and it has none")
        }
        return shot
    }
}

extension Folder {
    /// Performs file work on the file system of this folder, and converts its error.
    func attempt<Result: ~Copyable>(
        _ work: () throws(PosixError) -> Result
    ) throws(ExportError) -> Result {
        do {
            return try work()
        } catch {
            throw ExportError(error, room: try? room())
        }
    }
}

/// How an export arranges the files of shots. docs/library.md shows each layout.
public enum ExportLayout: String, Hashable, Codable, Sendable, CaseIterable {
    /// A folder for each camera, with all of its files.
    case byCamera = "by-camera"
    /// A folder for each shot, which contains one for each camera, as in the library, with the manifests.
    case byShot = "by-shot"
    /// The stills as COLMAP expects them: `images/` with a folder for each camera and size.
    case colmap
    /// The stills in one folder.
    case realityCapture = "realitycapture"
    /// Takes, for editing programs: as ``byCamera``, with each take as FCPXML and as OpenTimelineIO.
    case timeline

    /// Whether the layout contains only stills.
    var takesStillsOnly: Bool {
        switch self {
        case .byCamera, .byShot, .timeline: false
        case .colmap, .realityCapture: true
        }
    }
}

/// A file of an export, with its outcome.
public struct ExportedFile: Hashable, Codable, Sendable {
    public var shot: ShotID
    public var device: DeviceID
    public var kind: AssetKind
    public var outcome: Outcome
    /// Path inside the export; absent if the export does not have the file.
    public var path: String?
    /// A sentence: why the file is missing or, for a movie in the export, why it is in no timeline.
    public var reason: String?
    public var byteCount: Int64?
    /// SHA-256 of its bytes, hexadecimal. It was compared with the manifest's during the export.
    public var sha256: String?
    /// Mid-exposure minus T, and its largest error, if they are known.
    public var skewNanoseconds: Int64?
    public var boundNanoseconds: Int64?

    public enum Outcome: String, Hashable, Codable, Sendable, CaseIterable {
        /// The library's file under a second name.
        case linked
        case copied
        /// The shot should have the file and does not: its outcome in the manifest is neither `done` nor `late`.
        case absent
        /// The manifest says that the library has the file, and it does not exist.
        case missing
        /// Its bytes differ from those that the manifest names.
        case altered
        /// It could not be read.
        case unreadable

        /// Whether the export has the file.
        public var isThere: Bool { self == .linked || self == .copied }
    }
}

/// The outcome of an export, and the content of its `export.json`.
public struct ExportReport: Hashable, Codable, Sendable {
    public static let currentSchemaVersion = 1

    public var schemaVersion = ExportReport.currentSchemaVersion
    public var layout: ExportLayout
    /// The library that was exported from.
    public var library: String
    public var shots: [ShotID]
    /// The cameras of the shots; empty in the file of a version that did not list them.
    public var cameras: [ExportedCamera]
    public var files: [ExportedFile]

    private enum CodingKeys: String, CodingKey {
        case schemaVersion, layout, library, shots, cameras, files
    }

    /// Whether every expected file of the shots that the layout includes is in the export, and in its timeline.
    public var isComplete: Bool { files.allSatisfy { $0.outcome.isThere && $0.reason == nil } }
    /// Whether the export has no file, so that no folder was created.
    public var isEmpty: Bool { !files.contains { $0.outcome.isThere } }

    /// The cameras that a program which groups pictures by make, model and size takes for one: each group of them in order.
    public var alikeCameras: [[DeviceID]] {
        var groups: [[DeviceID]] = []
        for camera in cameras where !groups.contains(where: { $0.contains(camera.device) }) {
            if let alike = camera.alike { groups.append(([camera.device] + alike).sorted()) }
        }
        return groups
    }
}

extension ExportReport {
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            schemaVersion: try members.decode(Int.self, forKey: .schemaVersion),
            layout: try members.decode(ExportLayout.self, forKey: .layout),
            library: try members.decode(String.self, forKey: .library),
            shots: try members.decode([ShotID].self, forKey: .shots),
            cameras: try members.decodeIfPresent([ExportedCamera].self, forKey: .cameras) ?? [],
            files: try members.decode([ExportedFile].self, forKey: .files))
    }
}
