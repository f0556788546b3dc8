public import CaptureModel
internal import Glibc
public import PosixSupport
public import StorageKit

/// The stamp of a document consists of its length, modification time and inode. The version of a day is the modification time of its
/// folder. To callers both are opaque texts.
extension FolderReader: ShotReading {
    public var location: String { root.path }

    public func location(of shot: Shot) -> String { shot.libraryFolder }

    public func shot(_ id: ShotID) throws(StorageError) -> Shot? {
        guard let folder = try folder(of: id) else { return nil }
        return try shotIfBegun(in: folder, id: id)
    }

    public func manifestBytes(of id: ShotID) throws(StorageError) -> [UInt8]? {
        guard let folder = try folder(of: id) else { return nil }
        return try documentIfBegun(in: folder)?.bytes
    }

    public func annotation(of id: ShotID) throws(StorageError) -> ShotAnnotation {
        guard let folder = try folder(of: id) else { return ShotAnnotation() }
        return try annotation(in: folder)
    }

    public func days(before: String?, limit: Int) throws(StorageError) -> [ShotDay] {
        var days: [ShotDay] = []
        for names in try dayNames() where before.map({ names.joined(separator: "/") < $0 }) ?? true {
            guard days.count < limit else { break }
            let parent = try open(Array(names.dropLast()))
            let changed = try parent.attempt { () throws(PosixError) in try parent.version(of: names[2]) }
                .modifiedNanoseconds
            // The resolution of a folder's modification time may be milliseconds.
            let isSettled = changed < realtime() - 2_000_000_000
            days.append(ShotDay(name: names.joined(separator: "/"), version: "\(changed)", isSettled: isSettled))
        }
        return days
    }

    public func list(_ day: String, after: ShotID?, limit: Int) throws(StorageError) -> [ShotEntry] {
        guard let folder = try folder(ofDay: day) else { return [] }
        var entries: [ShotEntry] = []
        for id in try shotIDs(in: folder) where after.map({ $0 < id }) ?? true {
            guard entries.count < limit else { break }
            if let stamp = try stamp(of: id, in: folder) { entries.append(ShotEntry(id: id, stamp: stamp)) }
        }
        return entries
    }

    public func day(of id: ShotID) throws(StorageError) -> String? {
        try place(of: id)?.day.joined(separator: "/")
    }

    public func stamp(of id: ShotID, day: String) throws(StorageError) -> ShotStamp? {
        guard let folder = try folder(ofDay: day) else { return nil }
        return try stamp(of: id, in: folder)
    }

    public func record(of id: ShotID, day: String) throws(StorageError) -> ShotRecord? {
        guard let dayFolder = try folder(ofDay: day), let stamp = try stamp(of: id, in: dayFolder) else { return nil }
        var record = ShotRecord(id: id, day: day, stamp: stamp, content: .unbegun)
        do throws(StorageError) {
            let folder = try open(id.description, in: dayFolder)
            guard let shot = try readIfBegun(in: folder, id: id) else { return record }
            record.content = .shot(shot, annotation(in: folder, &record.stamp))
        } catch {
            let path = dayFolder.path(of: "\(id)/\(FolderNames.manifest)")
            record.content = .damaged(DamagedManifest(location: path, reason: error.description))
            // An unreadable file may be readable the next time, without having changed.
            if error.code != .corrupted, !stamp.manifest.isEmpty { record.stamp.manifest = ShotStamp.unread }
        }
        return record
    }

    /// Returns the annotation of a shot; empty if it is damaged or cannot be read. The stamp says if it cannot be read.
    private func annotation(in folder: Folder, _ stamp: inout ShotStamp) -> ShotAnnotation {
        do throws(StorageError) {
            return try annotation(in: folder)
        } catch {
            if error.code != .corrupted { stamp.annotation = ShotStamp.unread }
            return ShotAnnotation()
        }
    }

    private func stamp(of id: ShotID, in day: Folder) throws(StorageError) -> ShotStamp? {
        try day.attempt { () throws(PosixError) in
            // Anything else with a shot's name, such as a link, is a damaged shot and hides no other.
            if let entry = try day.entry(id.description), entry.kind != .folder {
                return ShotStamp(manifest: ShotStamp.unread, annotation: "")
            }
            guard let folder = try day.folderIfPresent(id.description) else { return nil }
            return ShotStamp(
                manifest: try Self.stamp(FolderNames.manifest(in: folder), in: folder),
                annotation: try Self.stamp(FolderNames.annotation, in: folder))
        }
    }

    private static func stamp(_ name: String, in folder: Folder) throws(PosixError) -> String {
        guard let version = try folder.versionIfPresent(of: name) else { return "" }
        // Modification times are as coarse as the kernel's tick, but a file that replaces another one has another inode.
        return "\(version.byteCount):\(version.modifiedNanoseconds):\(version.inode)"
    }

    /// Returns the folder of a day; nil if the text is not a day or the folder does not exist.
    private func folder(ofDay day: String) throws(StorageError) -> Folder? {
        let names = day.split(separator: "/").map(String.init)
        guard names.map(\.utf8.count) == [4, 2, 2], names.allSatisfy(Self.isNumber) else { return nil }
        return try root.attempt { () throws(PosixError) in try root.folderIfPresent(names) }
    }
}

extension Shot {
    /// The shot's folder inside the library: `YYYY/MM/DD/<shot>`.
    public var libraryFolder: String { FolderNames.folders(of: self).joined(separator: "/") }
}

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

    /// Gives the library's file a second name in another folder of the same file system. Changing the linked file in place changes the
    /// library.
    /// - Throws: If the file system does not support links, or the file does not exist.
    public func link(_ key: FileKey, in folder: Folder, to name: String) throws(PosixError) {
        guard let place = try? place(of: key.capture.shot) else {
            throw PosixError(code: ENOENT, operation: "link", subject: "\(key)")
        }
        try place.folder.folder(key.capture.device.folderName).link(key.kind.fileName, in: folder, to: name)
    }

    /// Returns the file in its place, open for reading; nil if there is none.
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

    /// Returns everything in the folders of years, months and days except shots and hidden entries.
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

    /// Returns the contents of `folders` except the folders in `known`.
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
