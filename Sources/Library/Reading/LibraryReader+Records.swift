public import CaptureModel
internal import CaptureSystem
internal import PosixSupport

/// What an index of the library is made from, and by what it knows whether it is up to date.
extension LibraryReader {
    /// The days of the library, newest first.
    public func libraryDays() throws(CaptureProblem) -> [LibraryDay] {
        var days: [LibraryDay] = []
        for names in try self.days() {
            let parent = try open(Array(names.dropLast()))
            let version = try parent.attempt { () throws(PosixError) in try parent.version(of: names[2]) }
            days.append(LibraryDay(path: names.joined(separator: "/"), version: "\(version.modifiedNanoseconds)"))
        }
        return days
    }

    /// The shots of a day in order of id, with the stamps of their files. A day that has gone has none.
    /// - Parameter day: As ``LibraryDay/path``.
    public func stamps(of day: String) throws(CaptureProblem) -> [(id: ShotID, stamp: ShotStamp)] {
        guard let folder = try folder(ofDay: day) else { return [] }
        var stamps: [(ShotID, ShotStamp)] = []
        for id in try shotIDs(in: folder) {
            if let stamp = try stamp(of: id, in: folder) { stamps.append((id, stamp)) }
        }
        return stamps
    }

    /// Everything an index keeps of a shot; nil where the day has no such shot.
    ///
    /// The stamp is taken before the files are read: where they are replaced meanwhile it is too old, and the next look
    /// finds that out.
    public func record(of id: ShotID, day: String) throws(CaptureProblem) -> ShotRecord? {
        guard let dayFolder = try folder(ofDay: day), let stamp = try stamp(of: id, in: dayFolder) else { return nil }
        var record = ShotRecord(id: id, day: day, stamp: stamp, content: .unbegun)
        do throws(CaptureProblem) {
            let folder = try open(id.description, in: dayFolder)
            guard let shot = try readIfBegun(in: folder, id: id) else { return record }
            record.content = .shot(shot, annotation(in: folder, &record.stamp))
        } catch {
            record.content = .damaged(
                "\(dayFolder.path(of: "\(id)/\(LibraryNames.manifest)")): \(error.message)")
            // What could not be read may be readable the next time, though the file is the same.
            if error.code != .corrupted, !stamp.manifest.isEmpty { record.stamp.manifest = ShotStamp.unread }
        }
        return record
    }

    /// What is written about a shot; nothing where that is damaged, or cannot be read, which the stamp then says.
    private func annotation(in folder: Folder, _ stamp: inout ShotStamp) -> ShotAnnotation {
        do throws(CaptureProblem) {
            return try annotation(in: folder)
        } catch {
            if error.code != .corrupted { stamp.annotation = ShotStamp.unread }
            return ShotAnnotation()
        }
    }

    /// The day of a shot, or nil where the library does not have it.
    public func day(of id: ShotID) throws(CaptureProblem) -> String? {
        try place(of: id)?.day.joined(separator: "/")
    }

    /// The stamp of one shot's files, or nil where the day has no such shot.
    public func stamp(of id: ShotID, day: String) throws(CaptureProblem) -> ShotStamp? {
        guard let folder = try folder(ofDay: day) else { return nil }
        return try stamp(of: id, in: folder)
    }

    private func stamp(of id: ShotID, in day: Folder) throws(CaptureProblem) -> ShotStamp? {
        try day.attempt { () throws(PosixError) in
            guard let folder = try day.folderIfPresent(id.description) else { return nil }
            return ShotStamp(
                manifest: try Self.stamp(LibraryNames.manifest(in: folder), in: folder),
                annotation: try Self.stamp(LibraryNames.annotation, in: folder))
        }
    }

    private static func stamp(_ name: String, in folder: Folder) throws(PosixError) -> String {
        guard let version = try folder.versionIfPresent(of: name) else { return "" }
        return "\(version.byteCount):\(version.modifiedNanoseconds)"
    }

    /// The folder of a day, or nil where the text names none or it is not there.
    func folder(ofDay day: String) throws(CaptureProblem) -> Folder? {
        let names = day.split(separator: "/").map(String.init)
        guard names.map(\.utf8.count) == [4, 2, 2], names.allSatisfy(Self.isNumber) else { return nil }
        return try root.attempt { () throws(PosixError) in try root.folderIfPresent(names) }
    }
}
