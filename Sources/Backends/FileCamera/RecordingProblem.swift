import CameraKit
import Glibc
import PosixSupport

/// Why a recording cannot be played.
struct RecordingProblem: Error, Hashable, CustomStringConvertible {
    var code: CameraError.Code
    /// A sentence with the problem, the file and the remedy.
    var description: String

    init(_ code: CameraError.Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ error: PosixError) {
        switch error.code {
        case ENOENT: code = .absent
        case EACCES, EPERM: code = .denied
        default: code = .failed
        }
        description = error.description
    }
}
