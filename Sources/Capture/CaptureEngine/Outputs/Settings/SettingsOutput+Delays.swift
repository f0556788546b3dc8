import CameraKit
import CameraSettings
public import CaptureModel

extension SettingsOutput {
    /// Keeps how late controls of the camera act.
    func keepDelays(_ delays: [ControlDelay]) async throws(RigProblem) -> String {
        guard session.isRunning, let format = session.stream?.format else {
            throw RigProblem(
                .notRunning,
                "\(device) is not streaming: \(session.stateDescription); delays are those of a stream's format")
        }
        let hardware = session.knowledge.hardware
        guard let files = session.services.cameraFiles, let model = hardware.model else {
            throw RigProblem(
                .unsupportedSettings, "\(device) has no known model, so that its delays would be those of no camera")
        }
        let present = Set(try await controls.asFound().map(\.name))
        if let unknown = delays.first(where: { !present.contains($0.control) }) {
            throw RigProblem(.unsupportedSettings, "\(device) has no control '\(unknown.control)'")
        }
        let kept = delays.map { delay in
            (
                delay.control,
                FrameDelay(fewest: delay.fewest, most: delay.most, middleThousandths: delay.middleThousandths)
            )
        }
        let read = Dictionary(kept, uniquingKeysWith: { $1 }).compactMapValues(\.self)
        return try await files.keep(
            read, of: CameraMatch(make: hardware.make, model: model, format: format.measuredText),
            source: "capctl settings calibrate, by the brightness of pictures of \(device)")
    }
}

extension CaptureSession {
    /// Keeps how late controls of the camera act, for the cameras of its make and model at this node, in the present format
    /// and at its frame rate.
    /// - Returns: The path of the file, which is durable.
    /// - Throws: ``RigProblem``: `notRunning`; `unsupportedSettings` if the camera's model is not known or it has no such
    ///   control; `conflict`; `noMemory`, `inputOutput` if the file cannot be written; `deviceLost`.
    public func keepDelays(_ delays: [ControlDelay]) async throws(RigProblem) -> String {
        try await settings.keepDelays(delays)
    }
}
