import Glibc

/// Why controls were not set. Nothing is changed then, as far as the device could be restored.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of refusal.
    public enum Cause: Hashable, Sendable {
        /// The device has no control of this name.
        case unknown
        /// The control does not accept this value.
        case badValue
        /// The control can only be read.
        case readOnly
        /// The value would have no effect in the current state of other controls.
        case inactive
        /// The control cannot be set in the current state, for example while the device streams.
        case grabbed
        /// The device or its driver refused or failed.
        case device(VideoError)
    }

    public var cause: Cause
    /// A sentence that names the control, the reason and what to do.
    public var reason: String
    /// The controls that were set and could not be restored, by name.
    public var changed: [String]

    public init(_ cause: Cause, _ reason: String, changed: [String] = []) {
        self.cause = cause
        self.reason = reason
        self.changed = changed
    }

    init(_ error: VideoError) {
        self.init(.device(error), "\(error.operation): \(error.reason)")
    }

    /// Converts an error of `VIDIOC_S_EXT_CTRLS`, whose error numbers have special meanings.
    init(refused error: VideoError) {
        let reason = "the driver refuses: \(error.operation): \(error.reason)"
        switch error.errorNumber {
        case EACCES:
            self.init(.inactive, "\(reason); an automatic mode may control it: turn that mode off in the same call")
        case ERANGE, EINVAL: self.init(.badValue, reason)
        case EBUSY:
            self.init(.grabbed, "\(reason); it cannot be set in the current state, such as while the camera streams")
        default: self.init(error)
        }
    }

    public var description: String {
        guard !changed.isEmpty else { return "\(reason); nothing was changed" }
        return "\(reason); could not be put back and may be changed: \(changed.joined(separator: ", "))"
    }
}
