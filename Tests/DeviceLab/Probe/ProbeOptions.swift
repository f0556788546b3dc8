import CaptureDevices
import CaptureModel

/// What the probe was asked for.
///
///     v4l2-probe [--serial|--bus] IDENTITY [--frames N] [--format MJPG|YUYV] [--size WxH] [--fps R]
///                [--hold N] [--save FOLDER] [--starts N]
struct ProbeOptions {
    var identity = V4L2Identity.path("/dev/video0")
    var request = FormatRequest()
    /// Frames to take before stopping.
    var frames = 10
    /// Leases to keep until the camera has stopped.
    var hold = 0
    /// Where to write every frame, as `SEQUENCE.raw`.
    var folder: String?
    /// How often to start, stop and start again.
    var starts = 1

    /// Nil for arguments that make no sense.
    init?(_ arguments: [String]) {
        var kind = "--path"
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--serial", "--bus", "--path": kind = word
            case "--frames", "--format", "--size", "--fps", "--hold", "--save", "--starts":
                guard let value = rest.popFirst(), set(word, value) else { return nil }
            default:
                identity = kind == "--serial" ? .serial(word) : kind == "--bus" ? .busInformation(word) : .path(word)
            }
        }
    }

    private mutating func set(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--format":
            request.pixelFormat = PixelFormat(rawValue: value)
            return request.pixelFormat != nil
        case "--size":
            let sides = value.split(separator: "x").compactMap { Int($0) }
            guard sides.count == 2 else { return false }
            (request.width, request.height) = (sides[0], sides[1])
            return true
        case "--fps":
            request.framesPerSecond = Double(value)
            return request.framesPerSecond != nil
        case "--save":
            folder = value
            return true
        default:
            return setNumber(option, value)
        }
    }

    private mutating func setNumber(_ option: String, _ value: String) -> Bool {
        guard let number = Int(value), number >= 0 else { return false }
        switch option {
        case "--frames": frames = number
        case "--hold": hold = number
        default: starts = number
        }
        return true
    }
}
