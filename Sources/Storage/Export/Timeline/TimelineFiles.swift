internal import CaptureModel
internal import ShotDocuments
internal import StorageKit

/// Makes the time lines of takes, which go next to the movies of an export: `<take>.fcpxml`, `<take>.otio`.
struct TimelineFiles {
    let shots: any ShotLookup
    /// Of the sidecars in the export.
    let sidecars: [FileKey: SidecarOutline]

    /// Makes the time lines of a take, with every movie whose sidecar contains the times of its frames. For other movies, the missing
    /// sidecar becomes the reason. A take without such movies has no time line.
    func make(
        _ shot: Shot, _ files: inout [ExportedFile], _ write: ExportCompanions.Writing
    ) async throws(ExportError) {
        var angles: [TakeTimeline.Angle] = []
        for capture in shot.captures {
            var movies: [TakeTimeline.Angle.Movie] = []
            for index in files.indices
            where files[index].shot == shot.id && files[index].device == capture.device.id && files[index].kind.isMovie
            {
                guard let path = files[index].path else { continue }
                if capture.resolved != nil, let outline = outline(beside: files[index]) {
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
        try await write(FCPXML(timeline).bytes, ["\(shot.id).fcpxml"])
        let otio = try ExportError.encoding { () throws(DocumentError) in try OpenTimelineIO(timeline).bytes() }
        try await write(otio, ["\(shot.id).otio"])
    }

    private func outline(beside movie: ExportedFile) -> SidecarOutline? {
        guard let segment = movie.kind.segment else { return nil }
        return sidecars[
            FileKey(capture: CaptureKey(shot: movie.shot, device: movie.device), kind: .frames(segment))]
    }
}
