import CameraKit
import CaptureModel
import Glibc
import Video4Linux

extension CameraError {
    /// The failure of a V4L2 call, with what a person can do about it.
    /// - Parameter device: The device as it is configured.
    init(_ error: VideoError, device: String) {
        let node = device == error.devicePath ? "" : "\(error.devicePath): "
        let (code, remedy) = Self.meaning(of: error)
        self.init(code, device: device, operation: error.operation, reason: "\(node)\(error.reason); \(remedy)")
    }

    private static func meaning(of error: VideoError) -> (Code, remedy: String) {
        switch error.errorNumber {
        case ENOENT, ENODEV, ENXIO:
            (.absent, "plug the camera in, or correct its identity in the configuration")
        case EBUSY:
            (.busy, "another program is using the camera; `fuser -v \(error.devicePath)` names it")
        case EACCES, EPERM: forbidden(error)
        case ENOSPC:
            (
                .noBandwidth,
                "the USB bus has no bandwidth left: use MJPEG, a smaller size or rate, or another USB controller"
            )
        case EINVAL where error.operation == "VIDIOC_S_FMT":
            (.unsupportedFormat, "`v4l2-ctl -d \(error.devicePath) --list-formats-ext` lists what the camera offers")
        case ENOTTY where error.operation == "VIDIOC_QUERYCAP":
            (.failed, "it is no video device: correct its identity in the configuration")
        case EIO, EPROTO, ETIMEDOUT, EPIPE:
            (.failed, "the camera does not answer: check cable and power, then plug it in again")
        default:
            (.failed, "`dmesg` may say more")
        }
    }

    private static func forbidden(_ error: VideoError) -> (Code, remedy: String) {
        let access = error.operation == "open" ? NodeAccess(path: error.devicePath, .video) : nil
        switch access?.status {
        case .denied: return (.denied, access?.remedy ?? "")
        case .restricted: return (.restricted, access?.remedy ?? "")
        default:
            // The kernel's answer has changed meanwhile, or it was no question of opening.
            return (.denied, "add the user of this process to the `video` group, or give it the device by a udev rule")
        }
    }
}
