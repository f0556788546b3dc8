public import CaptureModel
public import PosixSupport
public import StorageKit

/// Puts the files of shots into a folder.
public struct ShotExport: Sendable {
    /// Gives a stored file a second name in a folder, instead of copying it.
    public typealias Linking = @Sendable (_ key: FileKey, _ folder: Folder, _ name: String) throws(PosixError) -> Void

    private let store: any ShotReading & AssetReading
    private let link: Linking?

    /// - Parameter link: Where the store's files may be linked, how; whoever changes a linked file in place changes the store's. Files
    ///   are copied where it is nil, and where it throws.
    public init(_ store: any ShotReading & AssetReading, link: Linking? = nil) {
        self.store = store
        self.link = link
    }

    /// Puts the files of shots into a folder that did not exist, or was empty, in one step: whoever sees the folder sees all
    /// of it. Every file is hashed on the way; one that differs from its manifest is left out and said.
    ///
    /// Blocks on the disk of the folder for as long as writing every file takes.
    /// - Parameters:
    ///   - path: The folder to be made; the one it lies in must be there.
    ///   - progress: Called after each file with how many of how many are done.
    /// - Returns: The outcome of each file. Where none is there no folder is made.
    /// - Throws: `unknownShot`, `corrupted`, `conflict` where the folder has something in it, a timeline is asked
    ///   of a shot, or stills of a take; `noSpace`, `inputOutput`.
    ///   Nothing is left behind then.
    public func run(
        _ ids: [ShotID], as layout: ExportLayout, to path: String,
        progress: (_ done: Int, _ count: Int) -> Void = { _, _ in }
    ) async throws(ExportError) -> ExportReport {
        var shots: [Shot] = []
        for id in ids where !shots.contains(where: { $0.id == id }) { shots.append(try await shot(id, for: layout)) }
        let target = try ExportFolder(path)
        do throws(ExportError) {
            var writer = ExportWriter(store, ExportPlan(layout, shots: shots), target, link: link)
            let report = try await writer.run(progress)
            if report.isEmpty { target.discard() } else { try target.publish() }
            return report
        } catch {
            target.discard()
            throw error
        }
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
                "\(id) is a take; the layout '\(layout.rawValue)' is of stills, and it has none")
        }
        return shot
    }
}
