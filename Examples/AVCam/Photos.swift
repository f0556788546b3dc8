import ArgumentParser
import CameraKit
import CaptureEngine
import CaptureModel
import PosixSupport

/// A photo application: authorization, default camera, preview, a photo with all options, another camera.
struct Photos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos", abstract: "Take photos with one camera, then with the next.")

    @OptionGroup var options: DeviceOptions

    func run() async throws {
        try authorize()
        let cameras = try options.cameras()
        let device = try await defaultDevice(of: cameras)
        let model = try CameraModel(CaptureDeviceInput(device: device), folder: options.folder, spool: options.spool)
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
            try await showLibrary(model.library)
        }
    }

    /// Saving photos needs to add only. Who may not even do that learns it before a camera is opened.
    private func authorize() throws {
        for level in PhotoLibrary.AccessLevel.allCases {
            let status = PhotoLibrary.authorizationStatus(for: level, of: options.folder)
            tell("library \(level.rawValue): \(status.rawValue)")
        }
        try PhotoLibrary.requireAccess(to: options.folder)
    }

    /// Shows the newest photo, if that is permitted.
    private func showLibrary(_ library: PhotoLibrary) async throws {
        guard let photos = try await library.photos() else {
            return tell("library: photos may be added and not seen")
        }
        tell("library: \(photos.count) photos, the newest \(photos.last ?? "none")")
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

    /// A photo application requests the camera's largest pictures.
    private func configure(_ session: CaptureSession) async throws {
        var configuration = session.beginConfiguration()
        if let objection = await configuration.objection(toSetting: .photo) {
            tell("preset photo: \(objection)")
        } else {
            configuration.preset = .photo
        }
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

    /// Takes one photo of this moment, and then one with the camera's light, if it has one.
    private func takePhotos(with model: CameraModel) async throws {
        try await model.capturePhoto("photo 1", PhotoSettings(embedThumbnail: .square, previewSize: 320))
        let lit = PhotoSettings(flash: .on)
        if let objection = await model.photoOutput.objection(to: lit) { return tell("photo 2: \(objection)") }
        try await model.capturePhoto("photo 2", lit)
    }

    /// Replaces the running camera by another one. If that one does not run, the old one runs again.
    private func switchCamera(of session: CaptureSession, to next: CaptureDevice) async throws {
        var configuration = session.beginConfiguration()
        configuration.removeInput(session.device.id)
        try configuration.addInput(CaptureDeviceInput(device: next))
        if let objection = await session.objection(toCommitting: configuration) {
            return tell("cannot switch: \(objection)")
        }
        for change in try await session.commitConfiguration(configuration) { tell("switched: \(change)") }
    }
}

/// The flows of AVFoundation's camera applications with this project's API, on one machine, without an agent or a
/// coordinator. Each subcommand is one flow in one file; docs/avcam.md describes them.
@main
struct AVCam: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "avcam",
        abstract: "The flows of AVFoundation's camera applications, a command each.",
        subcommands: [Photos.self, LivePhotos.self, SessionErrors.self, RawPhotos.self, Movies.self],
        defaultSubcommand: Photos.self)
}

/// Live Photos: one right after the start, then two that overlap.
struct LivePhotos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "live", abstract: "Take Live Photos: a still and three seconds around it, with sound.")

    @OptionGroup var options: DeviceOptions

    func run() async throws {
        guard let device = try options.cameras().first else { return }
        let microphone = try await options.openableMicrophone()
        let model = try CameraModel(
            CaptureDeviceInput(device: device), preset: .high, microphone: microphone, folder: options.folder,
            spool: options.spool)
        try await model.serving { model in
            try await model.startRunning()
            try await takeAtOnce(with: model)
            try await takeOverlapping(with: model)
            await model.session.stopRunning()
        }
    }

    /// The ring has only a few frames: the clip begins later than 1.5 s before T, and the resolved settings report
    /// this.
    private func takeAtOnce(with model: CameraModel) async throws {
        try await model.capturePhoto("live 1", PhotoSettings(livePhoto: .required))
    }

    /// Takes two Live Photos that share most of their frames. The ring is full since the previous one.
    private func takeOverlapping(with model: CameraModel) async throws {
        let first = model.clock.now() + .milliseconds(100)
        let settings = PhotoSettings(livePhoto: .required)
        async let before: Void = model.capturePhoto("live 2", settings, at: first)
        async let after: Void = model.capturePhoto("live 3", settings, at: first + .milliseconds(500))
        _ = try await (before, after)
    }
}

/// RAW and the processed photo of one exposure, then RAW alone, of a camera that delivers its sensor's mosaic.
struct RawPhotos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raw", abstract: "Take a photo as DNG and as JPEG, both of one exposure.")

    @OptionGroup var options: DeviceOptions

    func run() async throws {
        // A mosaic is drawn for each frame, which takes time.
        guard let device = try options.cameras(framesPerSecond: 10).first else { return }
        let format = try await rawFormat(of: device)
        tell("\(device.id) offers \(format.rawValue)")
        let input = CaptureDeviceInput(
            device: device, format: FormatRequest(pixelFormat: format), raw: RawSettings(isEnabled: true))
        let model = try CameraModel(input, preset: .photo, folder: options.folder, spool: options.spool)
        try await model.serving { model in
            try await model.startRunning()
            try await model.capturePhoto("raw+jpeg", PhotoSettings(previewSize: 320, raw: .withPhoto))
            let small = RawThumbnailFormat(longerSide: 160)
            try await model.capturePhoto("raw", PhotoSettings(raw: .only, rawThumbnail: small))
            await model.session.stopRunning()
        }
    }

    /// The deepest Bayer format that the camera offers: the level "supported".
    private func rawFormat(of device: CaptureDevice) async throws -> PixelFormat {
        let formats = try await device.capabilities().formats.map(\.pixelFormat)
        let deepest = formats.max { left, right in left.mosaicBits < right.mosaicBits }
        guard let deepest, deepest.mosaicBits > 0 else {
            throw RigProblem(
                .unsupportedSettings,
                "\(device.id) offers no Bayer format (\(formats.map(\.rawValue).joined(separator: ", "))), so there is no RAW of it"
            )
        }
        return deepest
    }
}

extension PixelFormat {
    /// Bits of each sample of a sensor's mosaic; 0 for a picture.
    fileprivate var mosaicBits: Int {
        if case .bayer(_, let bits, _) = family { bits } else { 0 }
    }
}
