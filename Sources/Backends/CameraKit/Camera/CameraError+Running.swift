import Glibc
package import PosixSupport

extension CameraError {
    /// The error of a camera whose program cannot be started.
    /// - Parameters:
    ///   - error: Why it cannot.
    ///   - installing: What to do if it is missing.
    package init(running error: PosixError, _ device: String, installing: String) {
        let (code, advice): (Code, String) =
            switch error.code {
            case ENOENT: (.absent, "; \(installing)")
            case EACCES, EPERM: (.denied, "; let the agent's user run it")
            default: (.failed, "")
            }
        self.init(code, device: device, operation: "run", reason: error.description + advice)
    }
}
