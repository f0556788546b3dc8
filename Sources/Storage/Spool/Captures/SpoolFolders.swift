internal import CaptureModel
internal import PosixSupport

/// The folders of a spool, which are opened again if somebody removes one of them while the agent runs.
struct SpoolFolders: Sendable {
    let captures: LastingFolder
    let damaged: LastingFolder
    let controls: LastingFolder
    let settings: LastingFolder
    let recordings: LastingFolder
    let deferred: LastingFolder
    private let root: Folder

    private var all: [LastingFolder] { [captures, damaged, controls, settings, recordings, deferred] }

    /// Opens the folders, and creates those that are missing.
    init(in root: Folder) throws(PosixError) {
        self.root = root
        captures = try LastingFolder(SpoolNames.captures, in: root)
        damaged = try LastingFolder(SpoolNames.damaged, in: root)
        controls = try LastingFolder(SpoolNames.controls, in: root)
        settings = try LastingFolder(SpoolNames.settings, in: root)
        recordings = try LastingFolder(SpoolNames.recordings, in: root)
        deferred = try LastingFolder(SpoolNames.deferred, in: root)
    }

    /// How often each folder that was gone was made again, by its path.
    var losses: [String: Int] {
        Dictionary(all.filter { $0.losses > 0 }.map { ($0.path, $0.losses) }) { first, _ in first }
    }

    /// Makes folders again that somebody has removed.
    /// - Throws: `inputOutput` if a folder cannot be made, or the spool is not at its path.
    func refresh() throws(SpoolError) {
        let isInPlace = try root.attempt { () throws(PosixError) in try root.place() == .own }
        guard isInPlace else {
            throw SpoolError(
                .inputOutput, "find", root.path,
                "the spool \(root.path) was removed, moved, replaced or unmounted while the agent runs; restore the folder there, or restart the agent to begin a new one"
            )
        }
        try root.attempt { () throws(PosixError) in for folder in all { try folder.refresh() } }
    }
}
