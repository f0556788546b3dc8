import CVideo4Linux
import Glibc

/// A failed call to a video device.
public struct VideoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C library's `errno`, such as `EBUSY`.
    public var errorNumber: Int32
    /// The call: `open`, `mmap` or the name of an ioctl, such as `VIDIOC_STREAMON`.
    public var operation: String
    /// The path of the device node as it was opened.
    public var devicePath: String

    public init(errorNumber: Int32, operation: String, devicePath: String) {
        self.errorNumber = errorNumber
        self.operation = operation
        self.devicePath = devicePath
    }

    /// The C library's text for the number.
    public var reason: String {
        guard let text = unsafe cv4l_error_text(errorNumber) else { return "error \(errorNumber)" }
        return unsafe String(cString: text)
    }

    public var description: String { "\(devicePath): \(operation): \(reason)" }

    /// Throws unless a call returned 0.
    static func check(_ errorNumber: Int32, _ operation: String, _ devicePath: String) throws(VideoError) {
        guard errorNumber == 0 else {
            throw VideoError(errorNumber: errorNumber, operation: operation, devicePath: devicePath)
        }
    }
}
