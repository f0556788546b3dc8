import CaptureEngine
import CaptureModel
import Foundation

/// The movie recorder's own list: each movie with its thumbnail, and a title that may be changed at any time.
struct MovieShelf: Sendable {
    let model: CameraModel

    /// An entry, as the file beside its movie has it.
    struct Entry: Codable {
        var movie = ""
        var thumbnail = ""
        var recorded: RecordedMovie?
        var annotation = ShotAnnotation()
    }

    /// Begins the entry of a recording with a small picture of its first frame, which the ring still has: photos are taken as
    /// ever while a movie is recorded. Of the photo only its preview is kept.
    func open(_ recording: MovieRecording) async throws -> Entry {
        var entry = Entry()
        let settings = PhotoSettings(previewSize: 320)
        let instant = recording.firstFrame.localMidExposure
        for await event in try await model.photoOutput.capturePhoto(with: settings, at: instant) {
            switch event.step {
            case .previewAvailable(let preview):
                let name = "\(recording.id.shot)-thumbnail.jpg"
                entry.thumbnail = try await model.library.write(preview.jpeg, as: name)
            case .didFinishProcessingPhoto(let file): try await model.library.discard(file, of: event.id)
            default: break
            }
        }
        return entry
    }

    /// Waits for the movie and saves it, without waiting for a title.
    func close(_ entry: Entry, with recording: MovieRecording) async throws -> Entry {
        var entry = entry
        let report = try await recording.finished()
        for file in report.files {
            let path = try await model.library.save(file, of: report.key)
            if file.kind.isMovie { entry.movie = path }
        }
        entry.recorded = report.movie
        tell("didFinishRecording \(report.movie?.end.rawValue ?? "") \(entry.movie)")
        if let problem = report.movie?.problem { tell("  \(problem)") }
        return try await write(entry, of: recording.id)
    }

    /// Gives a movie a title, at any time.
    func setTitle(_ title: String, of entry: Entry, _ recording: MovieRecording) async throws {
        var entry = entry
        entry.annotation = ShotAnnotationEdit(title: title).applied(to: entry.annotation)
        if let problem = entry.annotation.problem { throw CaptureProblem(.unsupportedSettings, problem) }
        tell("titled \(try await write(entry, of: recording.id).annotation.title)")
    }

    private func write(_ entry: Entry, of key: CaptureKey) async throws -> Entry {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        _ = try await model.library.write([UInt8](encoder.encode(entry)), as: "\(key.shot)-movie.json")
        return entry
    }
}
