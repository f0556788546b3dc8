import ALSA
import Glibc

extension CameraError {
    /// The failure of a call of libasound; what a person can do about it the error itself knows.
    init(_ error: ALSAError) {
        let advice = error.advice ?? "`dmesg` may say more"
        self.init(
            Self.code(of: error), device: error.device, operation: error.operation, reason: "\(error.reason); \(advice)"
        )
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
