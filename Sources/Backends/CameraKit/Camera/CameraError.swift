/// Why a camera or microphone cannot be opened, or stopped streaming by itself.
public struct CameraError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure; each needs another remedy.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// There is no such device, or it was unplugged.
        case absent
        /// Another program holds it (`EBUSY`).
        case busy
        /// The system does not let this process open it (`EACCES`, `EPERM`).
        case denied
        /// The device list of this process's service or container leaves it out (`EPERM`).
        case restricted
        /// The bus has no bandwidth left for this stream (`ENOSPC` at stream on).
        case noBandwidth
        /// The device cannot deliver the format asked for.
        case unsupportedFormat
        /// The device has no such control, or the control does not take the value as things are.
        case unsupportedControl
        /// The configured identity matches more than one device.
        case ambiguous
        /// Any other failure of device or driver.
        case failed
    }

    public var code: Code
    /// The device as the person knows it: its path or name.
    public var device: String
    /// What was being done: `open`, `VIDIOC_STREAMON`.
    public var operation: String
    /// A sentence: why, and what to do.
    public var reason: String

    public init(_ code: Code, device: String, operation: String, reason: String) {
        self.code = code
        self.device = device
        self.operation = operation
        self.reason = reason
    }

    public var description: String { "\(device): \(operation): \(reason)" }
}
