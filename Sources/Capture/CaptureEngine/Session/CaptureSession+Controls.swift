public import CameraKit
public import CaptureModel
import PosixSupport

/// What the session's camera is asked while its frames go on.
extension CaptureSession {
    /// The camera that is the session's input.
    public nonisolated var camera: any Camera { setup.withLock { $0.input.device.camera } }

    /// Sets controls of the camera by name, all or none; see ``CameraStream/setControls(_:)``.
    /// - Returns: What each has afterwards, read back.
    /// - Throws: ``CaptureProblem``: `notRunning`, or `unsupportedSettings` with the control and why.
    public func setControls(_ values: [String: Int64]) async throws(CaptureProblem) -> [String: Int64] {
        guard let stream else {
            throw CaptureProblem(.notRunning, "\(device.id) is not streaming: \(stateDescription)")
        }
        do throws(CameraError) {
            return try await stream.setControls(values)
        } catch {
            throw CaptureProblem(error)
        }
    }
}

extension CaptureProblem {
    /// Why a camera did not do what it was asked.
    public init(_ error: CameraError) {
        switch error.code {
        case .unsupportedControl, .unsupportedFormat: self.init(.unsupportedSettings, error.description)
        default: self.init(.notRunning, error.description)
        }
    }
}
