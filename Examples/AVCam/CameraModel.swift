import CaptureDevices
import CaptureEngine
import CaptureModel
import CaptureSystem
import PosixSupport
import Spool

/// What AVCam's view controller does: one session, its outputs, and what a person does with them.
struct CameraModel {
    let devices: [CaptureDevice]
    let preset: SessionPreset
    let photos: PhotoFolder
    private let spool: Spool

    init(devices: [CaptureDevice], preset: SessionPreset, folder: String) throws {
        self.devices = devices
        self.preset = preset
        spool = try Spool(
            folder: folder + "/.spool", limitBytes: 256 << 20, reserveFreeBytes: 0,
            executor: try FileExecutor(name: "spool"))
        photos = PhotoFolder(path: folder, spool: spool)
    }

    func run() async throws {
        let device = try await defaultDevice()
        let session = try makeSession(device)
        try await session.serving {
            try await configure(session)
            try await start(session)
            try await showPreview(of: session)
            try await takePhoto(with: session)
            try await switchCamera(of: session)
            await session.stopRunning()
        }
    }

    /// The first camera of the chain dual back, wide back, wide front that this process may open.
    private func defaultDevice() async throws -> CaptureDevice {
        var candidates: [SelectionCandidate] = []
        for device in devices {
            let status = await device.authorization()
            print("\(device.id) is \(status.rawValue)")
            candidates.append(
                SelectionCandidate(device: device.description, isUsable: status == .authorized))
        }
        let chain = [
            TypeAndPosition(type: DeviceType(rawValue: "dual"), position: .back),
            TypeAndPosition(type: .wide, position: .back), TypeAndPosition(type: .wide, position: .front),
        ]
        let chosen = try Selection(choice: .first(chain, per: .rig)).evaluate(candidates)
        guard let device = devices.first(where: { $0.id == chosen.first?.id }) else {
            throw EmptySelection(existing: devices.map(\.description))
        }
        print("the default camera is \(device.id)")
        return device
    }

    /// A session that opens its camera when it is started, on a thread of its own.
    private func makeSession(_ device: CaptureDevice) throws -> CaptureSession {
        CaptureSession(
            device: device.description, camera: device.camera, format: FormatRequest(),
            policy: SessionPolicy(standby: .onDemand), clock: SystemTimeSource(), rigClock: LocalRigClock(),
            spool: spool, executor: try FileExecutor(name: "camera"),
            clipMaker: ClipMaker(executor: try FileExecutor(name: "clip"))
        ) { event in
            if case .session(let device, let notice) = event { print("\(device): \(notice)") }
        }
    }

    private func configure(_ session: CaptureSession) async throws {
        var configuration = session.beginConfiguration()
        configuration.preset = preset
        if configuration.canAddOutput(.preview) { try configuration.addOutput(.preview) }
        try await session.commitConfiguration(configuration)
    }

    private func start(_ session: CaptureSession) async throws {
        if let problem = await session.startRunning() { throw problem }
        guard let format = await session.condition.format else { return }
        print("running: \(format)")
    }

    private func showPreview(of session: CaptureSession) async throws {
        let preview = PreviewOutput(scaler: FrameScaler(executor: try FileExecutor(name: "preview")))
        session.outputs.attach(preview)
        if let picture = await preview.next() { print("preview: \(picture.width)x\(picture.height)") }
        session.outputs.detach(preview)
        preview.close()
    }

    /// Takes one Live Photo and tells every step of its life.
    private func takePhoto(with session: CaptureSession) async throws {
        let output = PhotoOutput(session: session)
        let settings = PhotoSettings(embedThumbnail: .whole, previewSize: 320, livePhoto: .whereEnabled)
        for await event in try await output.capturePhoto(with: settings) {
            switch event.step {
            case .willBeginCapture(let resolved):
                let movie = resolved.livePhoto.map { ", movie \($0.dimensions)" } ?? ""
                print("willBeginCapture \(resolved.width)x\(resolved.height)\(movie)")
            case .willCapturePhoto: print("willCapturePhoto")
            case .didCapturePhoto(let timing): print("didCapturePhoto frame \(timing.sequence)")
            case .previewAvailable(let preview): print("previewAvailable \(preview.size.width)x\(preview.size.height)")
            case .didFinishProcessingPhoto(let file):
                let path = try await photos.save(file, of: event.id)
                print("didFinishProcessingPhoto \(path)")
            case .didFinishRecordingLivePhotoMovie: print("didFinishRecordingLivePhotoMovie")
            case .didFinishProcessingLivePhotoMovie(let movie):
                let path = try await photos.save(movie.file, of: event.id)
                print("didFinishProcessingLivePhotoMovie \(path)")
            case .didFinishCapture(let problem):
                if let problem { throw problem }
                print("didFinishCapture")
            }
        }
    }

    /// Puts the next camera in the place of the one that runs, and takes a photo with it.
    private func switchCamera(of session: CaptureSession) async throws {
        guard let next = devices.first(where: { $0.id != session.device.id }) else { return }
        var configuration = session.beginConfiguration()
        configuration.removeInput(session.device.id)
        try configuration.addInput(CaptureDeviceInput(device: next))
        for change in try await session.commitConfiguration(configuration) { print("switched: \(change)") }
        try await takePhoto(with: session)
    }
}
