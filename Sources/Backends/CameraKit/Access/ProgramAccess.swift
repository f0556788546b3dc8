package import CaptureModel
import ChildPrograms
import Glibc
import PosixSupport

/// Whether this process may run the program that a camera needs, and what to do if it may not. Nothing is run.
package struct ProgramAccess: Hashable, Sendable {
    package var status: AuthorizationStatus
    /// A sentence with the reason and the remedy; nil if it is authorized.
    package var remedy: String?

    /// - Parameters:
    ///   - program: Its path, or its name in `PATH`.
    ///   - device: The camera that needs it.
    ///   - installing: What to do if it is missing.
    package init(program: String, of device: String, installing: String) {
        do throws(PosixError) {
            _ = try ProgramPath.find(program)
            status = .authorized
        } catch {
            status = error.code == ENOENT ? .notDetermined : .denied
            remedy = CameraError(running: error, device, installing: installing).reason
        }
    }
}
