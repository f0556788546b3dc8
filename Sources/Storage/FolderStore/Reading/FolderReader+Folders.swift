internal import CaptureModel
internal import PosixSupport
internal import StorageKit

/// The folders of a library: what is not named like one is left alone.
extension FolderReader {
    /// Where a shot lies.
    struct Place {
        /// `YYYY`, `MM`, `DD`
        var day: [String]
        var dayFolder: Folder
        var folder: Folder
    }

    /// Where a shot lies, or nil.
    func place(of id: ShotID) throws(StorageError) -> Place? {
        let likely = FolderNames.day(of: id)
        if let place = try place(of: id, on: likely) { return place }
        for day in try dayNames() where day != likely {
            if let place = try place(of: id, on: day) { return place }
        }
        return nil
    }

    private func place(of id: ShotID, on day: [String]) throws(StorageError) -> Place? {
        try root.attempt { () throws(PosixError) in
            guard let dayFolder = try root.folderIfPresent(day),
                let folder = try dayFolder.folderIfPresent(id.description)
            else { return nil }
            return Place(day: day, dayFolder: dayFolder, folder: folder)
        }
    }

    /// The folder of a shot, or nil.
    func folder(of id: ShotID) throws(StorageError) -> Folder? {
        try place(of: id)?.folder
    }

    /// The days of the library, newest first, as `YYYY`, `MM`, `DD`.
    func dayNames() throws(StorageError) -> [[String]] {
        var days: [[String]] = []
        for year in try numbers(digits: 4, in: root) {
            let yearFolder = try open([year])
            for month in try numbers(digits: 2, in: yearFolder) {
                let monthFolder = try open(month, in: yearFolder)
                days += try numbers(digits: 2, in: monthFolder).map { [year, month, $0] }
            }
        }
        return days
    }

    /// The folder at a path of plain names below the root.
    func open(_ names: [String]) throws(StorageError) -> Folder {
        var folder = root
        for name in names { folder = try open(name, in: folder) }
        return folder
    }

    /// The shots of a day in order of id, whether their manifests can be read or not.
    func shotIDs(in day: Folder) throws(StorageError) -> [ShotID] {
        try names(in: day).compactMap { name in ShotID(name).flatMap { $0.description == name ? $0 : nil } }
    }

    /// Whether a shot's folder has neither a manifest nor any picture: at most what a manifest is written to first.
    func isUnbegun(_ folder: Folder) throws(StorageError) -> Bool {
        try files(in: folder).allSatisfy { FolderNames.unfinishedManifests.contains($0) }
    }

    func open(_ name: String, in folder: Folder) throws(StorageError) -> Folder {
        try folder.attempt { () throws(PosixError) in try folder.folder(name) }
    }

    func names(in folder: Folder) throws(StorageError) -> [String] {
        try folder.attempt { () throws(PosixError) in try folder.names() }
    }

    /// The names of that many digits, highest first.
    private func numbers(digits: Int, in folder: Folder) throws(StorageError) -> [String] {
        try names(in: folder).reversed().filter { $0.utf8.count == digits && Self.isNumber($0) }
    }

    static func isNumber(_ name: String) -> Bool {
        name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension FolderReader {
    /// Paths of all that lies in a shot's folder and the folders in it, except empty folders.
    func files(in folder: Folder) throws(StorageError) -> [String] {
        try folder.attempt { () throws(PosixError) in
            var paths: [String] = []
            for entry in try folder.entries() {
                guard entry.kind == .folder else {
                    paths.append(entry.name)
                    continue
                }
                for inner in try folder.folder(entry.name).names() { paths.append("\(entry.name)/\(inner)") }
            }
            return paths
        }
    }
}
