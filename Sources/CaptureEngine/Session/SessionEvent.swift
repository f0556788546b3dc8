public import CaptureModel

/// What a session tells while it runs; nothing per frame.
public enum SessionEvent: Hashable, Sendable {
    /// The state of the session's device changed, or its reason.
    case conditionChanged(DeviceID, DeviceCondition)
    /// What the session tells of itself; the device is its input.
    case session(DeviceID, SessionNotice)
    /// A capture has reached a step of its life cycle.
    case lifeCycle(CaptureKey, LifeCycleStep)

    /// The device it is about.
    public var device: DeviceID {
        switch self {
        case .conditionChanged(let device, _), .session(let device, _): device
        case .lifeCycle(let key, _): key.device
        }
    }
}
