import PosixSupport
import Video4Linux

extension VideoError {
    /// A thread or an event flag that was refused to a camera, as a failure of that camera.
    init(_ error: PosixError, devicePath: String) {
        self.init(errorNumber: error.code, operation: "\(error.operation) \(error.subject)", devicePath: devicePath)
    }
}
