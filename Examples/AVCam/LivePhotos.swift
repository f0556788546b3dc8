import ArgumentParser
import CaptureEngine
import CaptureModel

/// Live Photos: one right after the start, then two that overlap.
struct LivePhotos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live", abstract: "Take Live Photos: a still and three seconds around it, with sound.")

    @OptionGroup var options: DeviceOptions

    func run() async throws {
        guard let device = try options.cameras().first else { return }
        let microphone = try await options.openableMicrophone()
        let model = try CameraModel(
            CaptureDeviceInput(device: device), preset: .high, microphone: microphone, folder: options.folder)
        try await model.serving { model in
            try await model.startRunning()
            try await takeAtOnce(with: model)
            try await takeOverlapping(with: model)
            await model.session.stopRunning()
        }
    }

    /// The ring holds a few frames only: the clip begins later than 1.5 s before T, and the resolved settings say so.
    private func takeAtOnce(with model: CameraModel) async throws {
        try await model.capturePhoto("live 1", PhotoSettings(livePhoto: .required))
    }

    /// Two that share most of their frames. The one before has filled the ring.
    private func takeOverlapping(with model: CameraModel) async throws {
        let first = model.clock.now() + .milliseconds(100)
        let settings = PhotoSettings(livePhoto: .required)
        async let before: Void = model.capturePhoto("live 2", settings, at: first)
        async let after: Void = model.capturePhoto("live 3", settings, at: first + .milliseconds(500))
        _ = try await (before, after)
    }
}
