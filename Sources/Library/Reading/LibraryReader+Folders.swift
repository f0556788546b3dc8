internal import CaptureModel
internal import CaptureSystem
internal import PosixSupport

/// The folders of a library: what is not named like one is left alone.
extension LibraryReader {
    /// Where a shot lies.
    struct Place {
        /// `YYYY`, `MM`, `DD`
        var day: [String]
        var dayFolder: Folder
        var folder: Folder
    }

    /// Where a shot lies, or nil.
    func place(of id: ShotID) throws(CaptureProblem) -> Place? {
        for day in try days() {
            let dayFolder = try open(day)
            let found = try root.attempt { () throws(PosixError) in try dayFolder.folderIfPresent(id.description) }
            if let found { return Place(day: day, dayFolder: dayFolder, folder: found) }
        }
        return nil
    }

    /// The folder of a shot, or nil.
    func folder(of id: ShotID) throws(CaptureProblem) -> Folder? {
        try place(of: id)?.folder
    }

    /// The days of the library, newest first, as `YYYY`, `MM`, `DD`.
    func days() throws(CaptureProblem) -> [[String]] {
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
    func open(_ names: [String]) throws(CaptureProblem) -> Folder {
        var folder = root
        for name in names { folder = try open(name, in: folder) }
        return folder
    }

    /// The shots of a day in order of id, whether their manifests can be read or not.
    func shotIDs(in day: Folder) throws(CaptureProblem) -> [ShotID] {
        try names(in: day).compactMap { name in ShotID(name).flatMap { $0.description == name ? $0 : nil } }
    }

    /// Whether a shot's folder has neither a manifest nor any picture: at most what a manifest is written to first.
    func isUnbegun(_ folder: Folder) throws(CaptureProblem) -> Bool {
        try files(in: folder).allSatisfy { LibraryNames.unfinishedManifests.contains($0) }
    }

    func open(_ name: String, in folder: Folder) throws(CaptureProblem) -> Folder {
        try folder.attempt { () throws(PosixError) in try folder.folder(name) }
    }

    func names(in folder: Folder) throws(CaptureProblem) -> [String] {
        try folder.attempt { () throws(PosixError) in try folder.names() }
    }

    /// The names of that many digits, highest first.
    private func numbers(digits: Int, in folder: Folder) throws(CaptureProblem) -> [String] {
        try names(in: folder).reversed().filter { $0.utf8.count == digits && Self.isNumber($0) }
    }

    static func isNumber(_ name: String) -> Bool {
        name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
