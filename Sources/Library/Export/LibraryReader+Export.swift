public import CaptureModel
internal import CaptureSystem
internal import PosixSupport

extension LibraryReader {
    /// Puts the files of shots into a folder that did not exist, or was empty, in one step: whoever sees the folder sees all
    /// of it. Every file is hashed on the way; one that differs from its manifest is left out and said.
    ///
    /// Blocks on the disk for as long as reading every file takes.
    /// - Parameters:
    ///   - path: The folder to be made; the one it lies in must be there.
    ///   - linking: Give the library's files a second name instead of copying them, where the file system allows it.
    ///     Whoever changes a linked file in place changes the library.
    ///   - progress: Called after each file with how many of how many are done.
    /// - Returns: The outcome of each file. Where none is there no folder is made.
    /// - Throws: `unknownShot`, `corrupted`, `conflict` where the folder has something in it, a timeline is asked
    ///   of a shot, or stills of a take; `noSpace`, `inputOutput`.
    ///   Nothing is left behind then.
    public func export(
        _ ids: [ShotID], as layout: ExportLayout, to path: String, linking: Bool,
        progress: (_ done: Int, _ count: Int) -> Void = { _, _ in }
    ) throws(CaptureProblem) -> ExportReport {
        var shots: [Shot] = []
        for id in ids where !shots.contains(where: { $0.id == id }) {
            guard let shot = try shot(id) else {
                throw CaptureProblem(.unknownShot, "the library \(root.path) has no shot \(id)")
            }
            guard layout != .timeline || shot.take != nil else {
                throw CaptureProblem(.conflict, "\(id) is a shot; only takes have a timeline")
            }
            guard !layout.takesStillsOnly || shot.take == nil else {
                throw CaptureProblem(
                    .conflict, "\(id) is a take; the layout '\(layout.rawValue)' is of stills, and it has none")
            }
            shots.append(shot)
        }
        let target = try ExportFolder(path)
        do throws(CaptureProblem) {
            var writer = ExportWriter(self, ExportPlan(layout, shots: shots), target, linking: linking)
            let report = try writer.run(progress)
            if report.isEmpty { target.discard() } else { try target.publish() }
            return report
        } catch {
            target.discard()
            throw error
        }
    }
}
