public import CaptureModel

/// What a session tells while it runs; nothing per frame.
public enum SessionEvent: Hashable, Sendable {
    /// The state of the session's device changed, or its reason.
    case conditionChanged(DeviceID, DeviceCondition)
    /// What the session tells of itself; the device is its input.
    case session(DeviceID, SessionNotice)
    /// A capture has reached a step of its life cycle.
    case lifeCycle(CaptureKey, LifeCycleStep)
    /// The stream is back from a format switch for a capture, and was away for so long.
    case streamGap(CaptureKey, StreamGap)
    /// A file that a capture owed is there, or will not be: the capture as it is since.
    case captureGrew(CaptureReport)
    /// A recording has begun or ended.
    case recording(CaptureKey, RecordingNotice)
    /// The session's device shows another scene; only where ``CaptureSession/setSceneChangeMonitoring(_:)`` asks for it.
    case sceneChanged(DeviceID, SceneChange)

    /// The device it is about.
    public var device: DeviceID {
        switch self {
        case .conditionChanged(let device, _), .session(let device, _), .sceneChanged(let device, _): device
        case .lifeCycle(let key, _), .streamGap(let key, _), .recording(let key, _): key.device
        case .captureGrew(let report): report.key.device
        }
    }
}
