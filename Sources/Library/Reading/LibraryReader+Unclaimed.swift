public import CaptureModel
internal import CaptureSystem
internal import PosixSupport

extension LibraryReader {
    /// What lies in the library and belongs to no shot: files that were put aside when they arrived with wrong bytes, and
    /// whatever else is in the folders of years, months and days. Hidden entries are left out.
    /// - Returns: Findings with paths inside the library, those put aside first.
    public func unclaimed() throws(CaptureProblem) -> [VerifyFinding] {
        let quarantine = try root.attempt { () throws(PosixError) in
            try root.folderIfPresent(LibraryNames.quarantine)?.names() ?? []
        }
        return quarantine.map { name in
            VerifyFinding(
                path: "\(LibraryNames.quarantine)/\(name)", state: .quarantined,
                detail: "it arrived with other bytes than announced")
        } + (try strays())
    }

    private func strays() throws(CaptureProblem) -> [VerifyFinding] {
        let days = try days()
        var paths = try strays(in: Set(days.map { Array($0.prefix(1)) }), below: Set(days.map { Array($0.prefix(2)) }))
        paths += try strays(in: Set(days.map { Array($0.prefix(2)) }), below: Set(days))
        for day in days {
            let folder = try open(day)
            let shots = Set(try shotIDs(in: folder).map(\.description))
            paths += try names(in: folder).filter { !shots.contains($0) }.map { (day + [$0]).joined(separator: "/") }
        }
        return paths.filter { $0.split(separator: "/").last?.hasPrefix(".") == false }.sorted().map { path in
            VerifyFinding(path: path, state: .stray, detail: "it belongs to no shot")
        }
    }

    /// What `folders` hold besides the folders `known`.
    private func strays(in folders: Set<[String]>, below known: Set<[String]>) throws(CaptureProblem) -> [String] {
        var paths: [String] = []
        for folder in folders {
            for name in try names(in: open(folder)) where !known.contains(folder + [name]) {
                paths.append((folder + [name]).joined(separator: "/"))
            }
        }
        return paths
    }
}
