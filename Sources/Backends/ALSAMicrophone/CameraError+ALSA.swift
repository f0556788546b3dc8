import ALSA
import CameraKit
import CaptureModel
import Glibc

extension CameraError {
    /// The failure of a call of libasound; what a person can do about it the error itself knows.
    ///
    /// A card whose control device may not be opened is one that libasound does not find (`ENODEV`), so permissions are
    /// looked at where it found none. May block on the system's user database.
    init(_ error: ALSAError, access: NodeAccess? = nil) {
        var (code, advice) = (Self.code(of: error), error.advice ?? "`dmesg` may say more")
        if code == .absent || code == .denied, let access = access ?? SoundNode(device: error.device)?.access() {
            switch access.status {
            case .denied: (code, advice) = (.denied, access.remedy ?? advice)
            case .restricted: (code, advice) = (.restricted, access.remedy ?? advice)
            case .authorized, .notDetermined: break
            }
        }
        self.init(code, device: error.device, operation: error.operation, reason: "\(error.reason); \(advice)")
    }

    private static func code(of error: ALSAError) -> Code {
        switch error.errorNumber {
        case ENODEV, ENOENT, ENXIO: .absent
        case EBUSY: .busy
        case EACCES, EPERM: .denied
        case EINVAL where error.operation.hasPrefix("snd_pcm_hw_params"): .unsupportedFormat
        default: .failed
        }
    }
}
