import CaptureModel

/// Why a camera or microphone cannot be opened, or stopped streaming on its own.
public struct CameraError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure. Each needs another remedy.
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
        /// The device cannot deliver the requested format.
        case unsupportedFormat
        /// The device has no such control, or the control does not accept the value in its present state.
        case unsupportedControl
        /// The configured identity matches more than one device.
        case ambiguous
        /// Any other failure of device or driver.
        case failed
    }

    public var code: Code
    /// The device as people know it: its path or name.
    public var device: String
    /// The operation that failed: `open`, `VIDIOC_STREAMON`.
    public var operation: String
    /// A sentence with the reason and the remedy.
    public var reason: String

    public init(_ code: Code, device: String, operation: String, reason: String) {
        self.code = code
        self.device = device
        self.operation = operation
        self.reason = reason
    }

    public var description: String { "\(device): \(operation): \(reason)" }
}
