import ArgumentParser
import CameraKit
import CaptureEngine
import CaptureModel
import PosixSupport

/// A photo application: authorization, default camera, preview, a photo with everything there is to ask for, another camera.
struct Photos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos", abstract: "Take photos with one camera, then with the next.")

    @OptionGroup var options: DeviceOptions

    func run() async throws {
        let cameras = try options.cameras()
        let device = try await defaultDevice(of: cameras)
        let model = try CameraModel(CaptureDeviceInput(device: device), folder: options.folder)
        try await model.serving { model in
            try await configure(model.session)
            try await model.startRunning()
            await showButtons(of: model.session)
            try await showPreview(of: model.session)
            try await takePhotos(with: model)
            if let next = cameras.first(where: { $0.id != device.id }) {
                try await switchCamera(of: model.session, to: next)
                try await model.capturePhoto("photo 3", PhotoSettings())
            }
            await model.session.stopRunning()
        }
    }

    /// The first camera of the chain dual back, wide back, wide front that this process may open.
    private func defaultDevice(of devices: [CaptureDevice]) async throws -> CaptureDevice {
        var candidates: [SelectionCandidate] = []
        for device in devices {
            let status = await device.authorization()
            tell("\(device.id) is \(status.rawValue)")
            if let remedy = await device.camera.authorizationRemedy() { tell("  \(remedy)") }
            candidates.append(SelectionCandidate(device: device.description, isUsable: status == .authorized))
        }
        let chain = [
            TypeAndPosition(type: DeviceType(rawValue: "dual"), position: .back),
            TypeAndPosition(type: .wide, position: .back), TypeAndPosition(type: .wide, position: .front),
        ]
        let chosen = try Selection(choice: .first(chain, per: .rig)).evaluate(candidates)
        guard let device = devices.first(where: { $0.id == chosen.first?.id }) else {
            throw EmptySelection(existing: devices.map(\.description))
        }
        tell("the default camera is \(device.id)")
        return device
    }

    /// A photo application asks for the camera's largest pictures.
    private func configure(_ session: CaptureSession) async throws {
        var configuration = session.beginConfiguration()
        configuration.preset = .photo
        if configuration.canAddOutput(.preview) { try configuration.addOutput(.preview) }
        try await session.commitConfiguration(configuration)
    }

    /// Which buttons are enabled, and why the others are not.
    private func showButtons(of session: CaptureSession) async {
        for (name, ability) in await session.abilities.all {
            tell("button \(name): " + (ability.isAllowed ? "on" : "off, \(ability.reason ?? "")"))
        }
    }

    private func showPreview(of session: CaptureSession) async throws {
        let preview = PreviewOutput(scaler: FrameScaler(executor: try ThreadExecutor(name: "preview")))
        session.outputs.attach(preview)
        if let picture = await preview.next() { tell("preview: \(picture.width)x\(picture.height)") }
        session.outputs.detach(preview)
        preview.close()
    }

    /// One photo of this moment; then one with the camera's light, where it has one.
    private func takePhotos(with model: CameraModel) async throws {
        try await model.capturePhoto("photo 1", PhotoSettings(embedThumbnail: .square, previewSize: 320))
        do {
            try await model.capturePhoto("photo 2", PhotoSettings(flash: .on))
        } catch let problem as CaptureProblem where problem.code == .unsupportedSettings {
            tell("photo 2: \(problem)")
        }
    }

    /// Puts another camera in the place of the one that runs; where that one does not run, the old one runs again.
    private func switchCamera(of session: CaptureSession, to next: CaptureDevice) async throws {
        var configuration = session.beginConfiguration()
        configuration.removeInput(session.device.id)
        try configuration.addInput(CaptureDeviceInput(device: next))
        for change in try await session.commitConfiguration(configuration) { tell("switched: \(change)") }
    }
}
