import ArgumentParser
import CaptureEngine
import CaptureModel
import Foundation

/// A movie recorder: a movie from one instant to another, one that ends at a limit, and a title and a thumbnail for
/// each.
struct Movies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "movie", abstract: "Record movies with sound, and give them titles and thumbnails.")

    @OptionGroup var options: DeviceOptions

    @Option(help: "How long the first movie is to be, seconds.")
    var seconds = 2.0

    func validate() throws {
        if !(0.1...86_400).contains(seconds) { throw ValidationError("--seconds takes 0.1 to 86400") }
    }

    func run() async throws {
        let cameras = try options.cameras()
        guard let device = cameras.first else { return }
        let microphone = try await options.openableMicrophone()
        let model = try CameraModel(
            CaptureDeviceInput(device: device), preset: .high, microphone: microphone, folder: options.folder,
            spool: options.spool)
        try await model.serving { model in
            try await model.startRunning()
            try await recordUntilStopped(model, besides: cameras.dropFirst().first)
            try await recordUntilLimit(model)
            await model.session.stopRunning()
        }
    }

    /// Requests the beginning and the end in advance, so that the first frame is the frame of T and the movie ends at
    /// an instant.
    private func recordUntilStopped(_ model: CameraModel, besides other: CaptureDevice?) async throws {
        let shelf = MovieShelf(model: model)
        let start = model.clock.now() + .milliseconds(300)
        let recording = try await model.session.startRecording(at: start)
        announce(recording)
        let entry = try await shelf.open(recording)
        if let other { await refuseSwitch(of: model.session, to: other) }
        await recording.stop(at: start + .milliseconds(Int64(seconds * 1000)))
        try await showElapsedTime(of: model)
        let closed = try await shelf.close(entry, with: recording)
        try await shelf.setTitle("The first take", of: closed, recording)
    }

    /// Records until a limit ends the movie.
    private func recordUntilLimit(_ model: CameraModel) async throws {
        let shelf = MovieShelf(model: model)
        let settings = MovieSettings(maxRecordedDurationNanoseconds: 1_000_000_000, minFreeDiskSpaceLimit: 64 << 20)
        let recording = try await model.session.startRecording(with: settings)
        announce(recording)
        _ = try await shelf.close(shelf.open(recording), with: recording)
    }

    private func announce(_ recording: MovieRecording) {
        let movie = recording.resolved.movie
        tell("didStartRecording frame \(recording.firstFrame.sequence), \(movie?.note ?? "with sound")")
    }

    /// Prints the elapsed time twice a second while the camera records.
    private func showElapsedTime(of model: CameraModel) async throws {
        while let progress = await model.session.condition.session?.recording {
            tell("recorded \(progress.durationNanoseconds / 1_000_000) ms, \(progress.byteCount) bytes")
            try await model.clock.sleep(for: .milliseconds(500))
        }
    }

    /// During a recording, cameras cannot be switched: the button is disabled, and a commit says why.
    private func refuseSwitch(of session: CaptureSession, to other: CaptureDevice) async {
        do {
            var configuration = session.beginConfiguration()
            configuration.removeInput(session.device.id)
            try configuration.addInput(CaptureDeviceInput(device: other))
            try await session.commitConfiguration(configuration)
        } catch {
            tell("cannot switch: \(error)")
        }
    }
}

/// The movie recorder's list: each movie with its thumbnail, and a title that may be changed at any time.
struct MovieShelf: Sendable {
    let model: CameraModel

    /// An entry, as in the file next to its movie.
    struct Entry: Codable {
        var movie = ""
        var thumbnail = ""
        var recorded: RecordedMovie?
        var annotation = ShotAnnotation()
    }

    /// Creates the entry of a recording with a small picture of its first frame, which is still in the ring: photos can
    /// be taken while a movie is recorded. Only the preview of the photo is kept.
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
        if let problem = entry.annotation.problem { throw RigProblem(.unsupportedSettings, problem) }
        tell("titled \(try await write(entry, of: recording.id).annotation.title)")
    }

    private func write(_ entry: Entry, of key: CaptureKey) async throws -> Entry {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        _ = try await model.library.write([UInt8](encoder.encode(entry)), as: "\(key.shot)-movie.json")
        return entry
    }
}
