import CaptureModel

@testable import CaptureEngine

/// What tests look at inside a session's outputs.
extension CaptureSession {
    /// Who arms the camera and waits for a frame.
    var frameAlarms: [CaptureKey: Alarm] { captures.frameAlarms }
    var sceneWatch: SceneWatch? { scene.watch }
    var livePhotosInProgress: Int { core.sessionCondition.livePhotosInProgress }
}
