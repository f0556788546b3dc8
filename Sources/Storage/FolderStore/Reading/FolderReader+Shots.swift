public import CaptureModel
internal import PosixSupport
public import StorageKit

/// The protocol's "revision" of a document is made of its length, time of change and inode, a day's version of the time of change of its folder:
/// both stay inside, as opaque texts.
extension FolderReader: ShotReading {
    public var location: String { root.path }

    public func location(of shot: Shot) -> String { shot.libraryFolder }

    public func shot(_ id: ShotID) throws(StorageError) -> Shot? {
        guard let folder = try folder(of: id) else { return nil }
        return try readIfBegun(in: folder, id: id)
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
            // The grain of a folder's time of change may be milliseconds.
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
            // What could not be read may be readable the next time, though the file is the same.
            if error.code != .corrupted, !stamp.manifest.isEmpty { record.stamp.manifest = ShotStamp.unread }
        }
        return record
    }

    /// What is written about a shot; nothing where that is damaged, or cannot be read, which the stamp then says.
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
            // Something else under a shot's name, such as a link, is a damaged shot and hides no other.
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
        // Times of change are as coarse as the kernel's tick; a file that replaces another one is another inode.
        return "\(version.byteCount):\(version.modifiedNanoseconds):\(version.inode)"
    }

    /// The folder of a day, or nil where the text names none or it is not there.
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
