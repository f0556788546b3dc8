import ArgumentParser
import CaptureEngine
import CaptureModel

/// A movie recorder: a movie from one instant to another, one that ends at a limit, and a title and a thumbnail for each.
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
            CaptureDeviceInput(device: device), preset: .high, microphone: microphone, folder: options.folder)
        try await model.serving { model in
            try await model.startRunning()
            try await recordUntilStopped(model, besides: cameras.dropFirst().first)
            try await recordUntilLimit(model)
            await model.session.stopRunning()
        }
    }

    /// Begins ahead of time, so that the first frame is that of T, and ends at an instant too.
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

    /// Nobody stops it.
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

    /// Twice a second for as long as it records.
    private func showElapsedTime(of model: CameraModel) async throws {
        while let progress = await model.session.condition.session?.recording {
            tell("recorded \(progress.durationNanoseconds / 1_000_000) ms, \(progress.byteCount) bytes")
            try await model.clock.sleep(for: .milliseconds(500))
        }
    }

    /// Cameras cannot be switched meanwhile: the button is off, and a commit says why.
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
