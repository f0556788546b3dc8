import ArgumentParser
import CameraKit
import CaptureEngine
import CaptureModel
import VirtualDevices

/// Failures of a session, caused on a virtual camera so that no hardware is needed. Shows what the session does
/// automatically, and what a person has to do.
struct SessionErrors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "errors", abstract: "See a camera denied, misconfigured, unplugged, in use and stalled.")

    @Argument(help: "Where photos go; made where it is missing.", completion: .directory)
    var folder: String

    func run() async throws {
        let camera = VirtualCamera(name: "back")
        let device = try CaptureDevice(camera, name: "back", position: .back, driver: "virtual")
        // Short limits, so that the example is short.
        let policy = SessionPolicy(stallTimeout: .seconds(1), standby: .onDemand, failureLimit: 2)
        let model = try CameraModel(CaptureDeviceInput(device: device), policy: policy, folder: folder)
        try await model.serving { model in
            try await deny(camera, device, model.session)
            await misconfigure(device, model.session)
            try await unplug(camera, model)
            try await occupy(camera, model)
            try await unplugWhileCapturing(camera, model)
            try await stall(camera, model)
            await model.session.stopRunning()
        }
    }

    /// Setup result notAuthorized. The session tries again automatically, and at once on request.
    private func deny(_ camera: VirtualCamera, _ device: CaptureDevice, _ session: CaptureSession) async throws {
        tell("--- may not be opened")
        try camera.faults.inject(VirtualFault(.denied))
        tell("\(device.id) is \(await device.authorization().rawValue)")
        if let problem = await session.startRunning() { tell("cannot start: \(problem)") }
        camera.faults.clear(.denied)
        if let problem = await session.resume() { throw problem }
    }

    /// Setup result configurationFailed: nothing has changed, and the session continues to run.
    private func misconfigure(_ device: CaptureDevice, _ session: CaptureSession) async {
        tell("--- a format that the camera does not have")
        do {
            var configuration = session.beginConfiguration()
            configuration.removeInput(device.id)
            try configuration.addInput(
                CaptureDeviceInput(device: device, format: FormatRequest(width: 100_000, height: 100_000)))
            try await session.commitConfiguration(configuration)
        } catch {
            tell("not committed: \(error)")
        }
    }

    /// While the camera is away photos are refused. The session continues automatically when the camera is back.
    private func unplug(_ camera: VirtualCamera, _ model: CameraModel) async throws {
        tell("--- unplugged")
        try camera.faults.inject(VirtualFault(.unplugged))
        await model.diary.wait(for: \.isInterruption)
        do {
            try await model.capturePhoto("photo", PhotoSettings())
        } catch {
            tell("no photo: \(error)")
        }
        try await plugIn(camera, model)
        await model.diary.wait { $0 == .didStartRunning }
    }

    /// If the system announces cameras, a `DeviceWatch` reports it; otherwise the session finds the camera by trying
    /// again.
    private func plugIn(_ camera: VirtualCamera, _ model: CameraModel) async throws {
        camera.faults.clear(.unplugged)
        await model.session.deviceAppeared()
        await model.diary.wait { $0 == .interruptionEnded(.deviceAbsent) }
    }

    /// One interruption follows another.
    private func occupy(_ camera: VirtualCamera, _ model: CameraModel) async throws {
        tell("--- unplugged, and in use by another client when it is back")
        try camera.faults.inject(VirtualFault(.busy))
        try camera.faults.inject(VirtualFault(.unplugged))
        await model.diary.wait(for: \.isInterruption)
        try await plugIn(camera, model)
        camera.faults.clear(.busy)
        await model.diary.wait { $0 == .didStartRunning }
    }

    /// The photo is durable and its movie is still being recorded: the movie fails, the photo remains.
    private func unplugWhileCapturing(_ camera: VirtualCamera, _ model: CameraModel) async throws {
        tell("--- unplugged during a Live Photo")
        let delegate = PhotoCaptureDelegate(name: "live", model: model)
        do {
            let events = try await model.photoOutput.capturePhoto(with: PhotoSettings(livePhoto: .required))
            for await event in events {
                try await delegate.take(event)
                if case .didFinishProcessingPhoto = event.step { try camera.faults.inject(VirtualFault(.unplugged)) }
            }
        } catch let problem as RigProblem where problem.code == .deviceLost {
            try await plugIn(camera, model)
            await model.diary.wait { $0 == .didStartRunning }
        }
    }

    /// A runtime error: the session restarts automatically, twice; after that it needs the Resume button.
    private func stall(_ camera: VirtualCamera, _ model: CameraModel) async throws {
        tell("--- the driver delivers nothing more")
        try camera.faults.inject(VirtualFault(.stalled))
        await model.diary.wait { if case .runtimeError(_, nil) = $0 { true } else { false } }
        tell("how it stands: \(await model.session.condition.reason ?? "")")
        camera.faults.clear(.stalled)
        if let problem = await model.session.resume() { throw problem }
    }
}

extension SessionNotice {
    fileprivate var isInterruption: Bool { if case .wasInterrupted = self { true } else { false } }
}
