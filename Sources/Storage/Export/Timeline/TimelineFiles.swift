internal import CaptureModel
internal import PosixSupport
internal import ShotDocuments
internal import StorageKit

/// Writes the time lines of takes next to the movies of an export: `<take>.fcpxml`, `<take>.otio`.
struct TimelineFiles {
    let shots: any ShotLookup
    let target: ExportFolder

    /// Writes the time lines of a take, with every movie whose sidecar contains the times of its frames. For other movies, the missing
    /// sidecar becomes the reason. A take without such movies has no time line.
    func write(_ shot: Shot, _ files: inout [ExportedFile]) async throws(ExportError) {
        var angles: [TakeTimeline.Angle] = []
        for capture in shot.captures {
            var movies: [TakeTimeline.Angle.Movie] = []
            for index in files.indices
            where files[index].shot == shot.id && files[index].device == capture.device.id && files[index].kind.isMovie
            {
                guard let path = files[index].path else { continue }
                if capture.resolved != nil, let outline = outline(beside: files[index], files) {
                    movies.append((path, outline))
                } else {
                    files[index].reason =
                        "it is in no timeline: the times of its frames are not known without its frames.jsonl"
                }
            }
            if let angle = TakeTimeline.Angle(capture, movies) { angles.append(angle) }
        }
        // An unreadable title does not prevent the export of a take.
        let annotation = (try? await shots.annotation(of: shot.id)) ?? ShotAnnotation()
        guard let timeline = TakeTimeline(shot, annotation, angles: angles) else { return }
        try target.write(FCPXML(timeline).bytes, to: ["\(shot.id).fcpxml"])
        let otio = try ExportError.encoding { () throws(DocumentError) in try OpenTimelineIO(timeline).bytes() }
        try target.write(otio, to: ["\(shot.id).otio"])
    }

    /// Reads the sidecar in the export.
    private func outline(beside movie: ExportedFile, _ files: [ExportedFile]) -> SidecarOutline? {
        let kind = movie.kind.segment.map { AssetKind.frames($0) }
        let sidecar = files.first { $0.shot == movie.shot && $0.device == movie.device && $0.kind == kind }
        guard let names = sidecar?.path?.split(separator: "/").map(String.init), let name = names.last else {
            return nil
        }
        do throws(PosixError) {
            return try SidecarOutline(of: target.folder(names.dropLast()).open(name, for: .reading))
        } catch {
            return nil
        }
    }
}
