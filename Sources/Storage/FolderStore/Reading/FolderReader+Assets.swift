public import CaptureModel
internal import Glibc
public import PosixSupport
public import StorageKit

extension FolderReader: AssetReading {
    public func location(of key: FileKey) -> AssetLocation {
        FolderNames.location(of: key)
    }

    public func byteCount(of key: FileKey) throws(StorageError) -> Int64? {
        guard let file = try file(key) else { return nil }
        return try root.attempt { () throws(PosixError) in try file.byteCount() }
    }

    public func read(_ key: FileKey, at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
        guard let file = try file(key) else {
            throw StorageError(.notFound, "read", key, "\(key) is not in the library \(root.path)")
        }
        return try root.attempt { () throws(PosixError) in try file.read(at: offset, count: count) }
    }

    public func content(of key: FileKey) throws(StorageError) -> AssetContent? {
        guard let file = try file(key) else { return nil }
        return try root.attempt { () throws(PosixError) in
            AssetContent(byteCount: try file.byteCount(), digest: try file.digest())
        }
    }

    public func list(
        _ scope: AssetScope, after: AssetLocation?, limit: Int
    ) throws(StorageError) -> [AssetLocation] {
        let all =
            switch scope {
            case .shot(let id): try assetPaths(of: id)
            case .setAside: try setAside()
            case .strays: try strays()
            }
        let rest = all.map(AssetLocation.init).sorted().drop { path in after.map { last in path <= last } ?? false }
        return Array(rest.prefix(limit))
    }

    /// Gives the library's file a second name in another folder of the same file system. Whoever changes the linked file in place changes the
    /// library.
    /// - Throws: Where the file system does not link, or the file is not there.
    public func link(_ key: FileKey, in folder: Folder, to name: String) throws(PosixError) {
        guard let place = try? place(of: key.capture.shot) else {
            throw PosixError(code: ENOENT, operation: "link", subject: "\(key)")
        }
        try place.folder.folder(key.capture.device.folderName).link(key.kind.fileName, in: folder, to: name)
    }

    /// The file in its place, open for reading; nil where there is none.
    func file(_ key: FileKey) throws(StorageError) -> OpenFile? {
        guard let shot = try folder(of: key.capture.shot) else { return nil }
        return try shot.attempt { () throws(PosixError) in
            guard let camera = try shot.folderIfPresent(key.capture.device.folderName),
                try camera.entry(key.kind.fileName) != nil
            else { return nil }
            let file = try camera.open(key.kind.fileName, for: .reading)
            guard try file.version().isRegular else {
                throw PosixError(code: EINVAL, operation: "read as a regular file", subject: file.path)
            }
            return file
        }
    }

    private func assetPaths(of id: ShotID) throws(StorageError) -> [String] {
        guard let folder = try folder(of: id) else { return [] }
        let manifest = try folder.attempt { () throws(PosixError) in try FolderNames.manifest(in: folder) }
        let documents = [manifest, FolderNames.annotation, FolderNames.unfinishedAnnotation]
        return try files(in: folder).filter { !documents.contains($0) }
    }

    private func setAside() throws(StorageError) -> [String] {
        try root.attempt { () throws(PosixError) in
            try root.folderIfPresent(FolderNames.quarantine)?.names() ?? []
        }.map { "\(FolderNames.quarantine)/\($0)" }
    }

    /// Whatever is in the folders of years, months and days besides shots; hidden entries are left out.
    private func strays() throws(StorageError) -> [String] {
        let days = try dayNames()
        var paths = try strays(in: Set(days.map { Array($0.prefix(1)) }), below: Set(days.map { Array($0.prefix(2)) }))
        paths += try strays(in: Set(days.map { Array($0.prefix(2)) }), below: Set(days))
        for day in days {
            let folder = try open(day)
            let shots = Set(try shotIDs(in: folder).map(\.description))
            paths += try names(in: folder).filter { !shots.contains($0) }.map { (day + [$0]).joined(separator: "/") }
        }
        return paths.filter { $0.split(separator: "/").last?.hasPrefix(".") == false }
    }

    /// What `folders` hold besides the folders `known`.
    private func strays(in folders: Set<[String]>, below known: Set<[String]>) throws(StorageError) -> [String] {
        var paths: [String] = []
        for folder in folders {
            for name in try names(in: open(folder)) where !known.contains(folder + [name]) {
                paths.append((folder + [name]).joined(separator: "/"))
            }
        }
        return paths
    }
}
