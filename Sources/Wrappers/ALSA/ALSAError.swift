import CALSA
import Glibc

/// A failed call of libasound: the function, the device, the reason, and what to do.
public struct ALSAError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The C library's `errno`, such as `EBUSY`.
    public var errorNumber: Int32
    /// libasound's function, such as `snd_pcm_open`.
    public var operation: String
    /// The device as it was opened, such as `hw:CARD=Webcam,DEV=0`.
    public var device: String
    /// Additional information from libasound or this module; nil if there is none.
    public var detail: String?

    public init(errorNumber: Int32, operation: String, device: String, detail: String? = nil) {
        self.errorNumber = errorNumber
        self.operation = operation
        self.device = device
        self.detail = detail
    }

    /// libasound's text for the number, and its error message.
    public var reason: String {
        let text = unsafe calsa_error_text(errorNumber).map { unsafe String(cString: $0) } ?? "error \(errorNumber)"
        return detail.map { "\(text) (\($0))" } ?? text
    }

    /// What the user can do, if the number determines it.
    public var advice: String? {
        switch errorNumber {
        case EBUSY:
            "another program is using the microphone; `fuser -v /dev/snd/*` names it, and a sound server releases it "
                + "by `pasuspender` or its configuration"
        case EACCES, EPERM:
            "add the user of this process to the group `audio`, or put `SupplementaryGroups=audio` into its systemd "
                + "unit, and start it again"
        case ENODEV, ENOENT, ENXIO:
            "plug the microphone in, or correct its name in the configuration; `arecord -L` lists the names"
        case EINVAL where operation == "snd_pcm_open":
            "correct the device's name in the configuration; `arecord -L` lists the names"
        case EINVAL where operation.hasPrefix("snd_pcm_hw_params"):
            "`arecord -D \(device) --dump-hw-params -d 1 /dev/null` lists what the device can do; `plug\(device)` "
                + "converts"
        case EIO, EPIPE, ETIMEDOUT, EPROTO:
            "the device does not answer: check cable and power, then plug it in again"
        default: nil
        }
    }

    public var description: String {
        let sentence = "\(device): \(operation): \(reason)"
        return advice.map { "\(sentence); \($0)" } ?? sentence
    }

    /// Throws unless a call returned 0. Includes libasound's error message.
    static func check(_ errorNumber: Int32, _ operation: String, _ device: String) throws(ALSAError) {
        guard errorNumber == 0 else {
            let complaint = unsafe calsa_last_complaint().map { unsafe String(cString: $0) }
            throw ALSAError(errorNumber: errorNumber, operation: operation, device: device, detail: complaint)
        }
    }
}
