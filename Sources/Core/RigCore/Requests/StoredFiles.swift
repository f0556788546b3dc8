package import CaptureModel
import FaultPoints
import Previews
package import StorageKit

/// A part of a stored file, as requested by a front end.
package struct AssetRange: Hashable, Sendable {
    package var shot: ShotID
    /// The name of the file in the shot's manifest; not checked, any text is possible.
    package var file: String
    /// Bytes from the start of the file, not negative.
    package var offset: Int64
    package var count: Int

    package init(shot: ShotID, file: String, offset: Int64, count: Int) {
        self.shot = shot
        self.file = file
        self.offset = offset
        self.count = count
    }
}

/// A part of a stored file.
package struct AssetPart: Sendable {
    package var range: AssetRange
    /// As many bytes as the range counts, or fewer at the end of the file.
    package var bytes: [UInt8]
    /// The complete file, as recorded in the manifest.
    package var content: AssetContent

    package init(range: AssetRange, bytes: [UInt8], content: AssetContent) {
        self.range = range
        self.bytes = bytes
        self.content = content
    }
}

/// The point at which reading for front ends waits.
package enum AssetFault: String, TaskFaultPoint {
    /// A manifest names the file, but none of its bytes has been read.
    case read = "coordinator.asset.wait.read"
}

/// Reads parts of files that manifests name, and nothing else.
///
/// A name is looked up in the shot's manifest, and the store is asked with the key found there, so that no text of a
/// requester reaches the store. The names of the newest ``shotLimit`` shots that were read are kept. A stored file
/// never changes, and other names are looked up again.
package actor StoredFiles {
    static let shotLimit = 16

    /// A stored file of a shot.
    struct File {
        var key: FileKey
        var content: AssetContent
        /// nil if no small pictures are made of it.
        var pictured: PicturedFile?
    }

    private let store: any ShotReading & AssetRangeReading
    /// Stored files by name, of the shots that were read last.
    private var files: [ShotID: [String: File]] = [:]
    /// The shots of `files`, least recently read first.
    private var order: [ShotID] = []

    /// - Parameter store: Works on a separate thread that nothing else waits for.
    package init(_ store: any ShotReading & AssetRangeReading) {
        self.store = store
    }

    /// - Throws: `unknownShot`, `deleted`, `unknownFile`; `protocolViolation` for an offset past the end; `fileLost` if the store
    ///   does not have the file; `corrupted` if its length differs from the manifest, or if the manifest cannot be
    ///   read; `inputOutput`.
    package func read(_ range: AssetRange) async throws(RigProblem) -> AssetPart {
        let file = try await file(range.file, of: range.shot)
        let size = file.content.byteCount
        guard (0...size).contains(range.offset) else {
            throw RigProblem(
                .protocolViolation,
                "\(range.file) of shot \(range.shot) has \(size) bytes; there is no byte \(range.offset)"
            )
        }
        await AssetFault.read.reached()
        do throws(StorageError) {
            guard let found = try await store.byteCount(of: file.key) else { throw range.missing }
            guard found == size else { throw range.altered("it has \(found) bytes instead of \(size)") }
            let bytes = try await store.read(file.key, at: range.offset, count: range.count)
            guard bytes.count == min(Int64(range.count), size - range.offset) else {
                throw range.altered("it has become shorter while it was read")
            }
            return AssetPart(range: range, bytes: bytes, content: file.content)
        } catch {
            guard error.code == .notFound else { throw RigProblem(error) }
            try await requireNotDeleted(range.shot)
            throw RigProblem(.fileLost, range.missing.description)
        }
    }

    /// - Throws: `deleted` if the library no longer has a shot because it was deleted.
    func requireNotDeleted(_ id: ShotID) async throws(RigProblem) {
        let deletion: ShotDeletion?
        do throws(StorageError) { deletion = try await store.deletion(of: id) } catch { throw RigProblem(error) }
        guard let deletion else { return }
        files[id] = nil
        order.removeAll { $0 == id }
        throw .deleted(deletion)
    }

    /// Returns the stored file of this name.
    /// - Throws: `unknownShot`, `deleted`, `unknownFile`; `corrupted` if the manifest cannot be read; `inputOutput`.
    func file(_ path: String, of id: ShotID) async throws(RigProblem) -> File {
        if let file = files[id]?[path] {
            noteUse(of: id)
            return file
        }
        let shot: Shot?
        do throws(StorageError) { shot = try await store.shot(id) } catch { throw RigProblem(error) }
        guard let shot else {
            try await requireNotDeleted(id)
            throw .unknownShot(id)
        }
        let named = Self.storedFiles(of: shot)
        files[id] = named
        noteUse(of: id)
        guard let file = named[path] else {
            let name = path.count > 64 ? "\(path.prefix(64))…" : path
            throw RigProblem(
                .unknownFile, "shot \(id) has no stored file '\(name)'; `capctl shots show \(id)` lists its files")
        }
        return file
    }

    private func noteUse(of shot: ShotID) {
        order.removeAll { $0 == shot }
        order.append(shot)
        if order.count > Self.shotLimit { files[order.removeFirst()] = nil }
    }

    private static func storedFiles(of shot: Shot) -> [String: File] {
        var files: [String: File] = [:]
        for capture in shot.captures {
            for file in capture.files where file.isStored {
                guard let path = file.path, let byteCount = file.byteCount, let digest = file.digest else { continue }
                files[path] = File(
                    key: FileKey(capture: CaptureKey(shot: shot.id, device: capture.device.id), kind: file.kind),
                    content: AssetContent(byteCount: byteCount, digest: digest),
                    pictured: PicturedFile(file, of: capture, in: shot))
            }
        }
        return files
    }
}

extension AssetRange {
    fileprivate var missing: StorageError {
        StorageError(
            .notFound, "read", file,
            "the library has lost \(file) of shot \(shot): it was moved or removed. Restore it; "
                + "`capctl shots verify \(shot)` names all missing files")
    }

    fileprivate func altered(_ how: String) -> StorageError {
        StorageError(
            .corrupted, "read", file,
            "\(file) of shot \(shot) does not match its manifest: \(how); "
                + "`capctl shots verify \(shot)` checks every file")
    }
}

extension RigProblem {
    static func unknownShot(_ id: ShotID) -> RigProblem {
        RigProblem(.unknownShot, "the library has no shot \(id); `capctl shots list` lists its shots")
    }
}
