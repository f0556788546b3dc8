import Glibc

/// Why controls were not set. Nothing is changed then, as far as the device could be told.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of refusal.
    public enum Cause: Hashable, Sendable {
        /// The device has no control of this name.
        case unknown
        /// The control does not take this value.
        case badValue
        /// The control can only be read.
        case readOnly
        /// The value would have no effect as other controls stand.
        case inactive
        /// The control cannot be set as things are, such as while the device streams.
        case grabbed
        /// The device or its driver refused or failed.
        case device(VideoError)
    }

    public var cause: Cause
    /// A sentence: which control, why, and what to do.
    public var reason: String
    /// The controls that were set and could not be put back, by name.
    public var changed: [String]

    public init(_ cause: Cause, _ reason: String, changed: [String] = []) {
        self.cause = cause
        self.reason = reason
        self.changed = changed
    }

    init(_ error: VideoError) {
        self.init(.device(error), "\(error.operation): \(error.reason)")
    }

    /// What a device answers to `VIDIOC_S_EXT_CTRLS`, whose error numbers have meanings of their own.
    init(refused error: VideoError) {
        let reason = "the driver refuses: \(error.operation): \(error.reason)"
        switch error.errorNumber {
        case EACCES: self.init(.inactive, "\(reason); an automatic may rule this control: set it off in the same call")
        case ERANGE, EINVAL: self.init(.badValue, reason)
        case EBUSY: self.init(.grabbed, "\(reason); it cannot be set as things are, such as while the camera streams")
        default: self.init(error)
        }
    }

    public var description: String {
        guard !changed.isEmpty else { return "\(reason); nothing was changed" }
        return "\(reason); could not be put back and may be changed: \(changed.joined(separator: ", "))"
    }
}
