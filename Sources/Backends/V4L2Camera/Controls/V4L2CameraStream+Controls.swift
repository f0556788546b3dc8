public import CameraKit
public import CaptureModel
import Video4Linux

extension V4L2CameraStream {
    /// Every control with a single value, read on the camera's control thread.
    public func controls() async throws(CameraError) -> [DeviceControl] {
        let name = name
        let outcome = await controlThread.perform { device in
            Result { () throws(VideoError) in try DeviceControl.all(of: device) }
                .mapError { CameraError($0, device: name) }
        }
        return try result(outcome)
    }

    /// Sets controls on the camera's control thread, as ``ControlTransaction`` does. Frames go on meanwhile; which is
    /// the first that a value applies to is the camera's affair.
    public func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        let name = name
        let outcome = await controlThread.perform { device in
            Result { () throws(ControlError) in
                try ControlTransaction(values, on: device).apply(to: device)
            }.mapError { CameraError($0, device: name) }
        }
        return try result(outcome)
    }

    private func result<Answer>(
        _ outcome: ControlThread.Outcome<Result<Answer, CameraError>>
    ) throws(CameraError) -> Answer {
        switch outcome {
        case .done(let result): try result.get()
        case .ended: throw failure ?? .noAnswer(name, isFull: false)
        case .full: throw .noAnswer(name, isFull: true)
        }
    }
}
