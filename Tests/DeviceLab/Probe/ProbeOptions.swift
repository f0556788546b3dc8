import CameraKit
import CaptureModel
import V4L2Camera

/// What the probe was asked for.
///
///     v4l2-probe [--serial|--bus] IDENTITY [--frames N] [--format FOURCC] [--size WxH] [--fps R]
///                [--hold N] [--save FOLDER] [--pictures FOLDER] [--starts N] [--driver-format FOURCC[,FOURCC]...]
///                [--camera-clock] [--readout MICROSECONDS]
///     v4l2-probe capabilities [--serial|--bus] IDENTITY
///     v4l2-probe conformance [--serial|--bus] IDENTITY [--other PATH] [--format FOURCC] [--size WxH] [--fps R]
///                [--driver-format FOURCC] [--limit SECONDS]
///     v4l2-probe screen [--serial|--bus] IDENTITY --seed N --lag MICROSECONDS --delay MICROSECONDS [--frames N] [--format FOURCC]
///                [--size WxH] [--fps R]
struct ProbeOptions {
    var identity = V4L2Identity.path("/dev/video0")
    var request = FormatRequest()
    /// Frames to take before stopping.
    var frames = 10
    /// Leases to keep until the camera has stopped.
    var hold = 0
    /// Where to write every frame, as `SEQUENCE.raw`.
    var folder: String?
    /// Where to write every frame as a still has it, as `SEQUENCE.jpg`; a sensor's mosaic as `SEQUENCE.dng`.
    var pictures: String?
    /// Whether the camera's clock stamps the frames, if it can.
    var usesCameraClock = false
    /// From the end of exposure to the driver's stamp of a frame's end, in microseconds; measured within five milliseconds.
    var readout: Int?
    /// The only format of the driver to capture in.
    var driverFormat: String?
    /// The formats of the driver to capture in, one after another; empty for fewer than two.
    var driverFormats: [String] = []
    /// Whether to print what the camera offers instead of streaming.
    var listsCapabilities = false
    /// How often to start, stop and start again.
    var starts = 1
    /// Whether to run the conformance suite instead of streaming.
    var runsConformance = false
    /// Another camera of the same make, for the suite's checks of two.
    var other: V4L2Identity?
    /// Seconds that one check of the suite may take.
    var limit = 60
    /// Whether to measure the latency with a screen instead of streaming.
    var seesScreen = false
    /// Of the screen's sequence.
    var seed = 1
    /// Of the screen, in microseconds.
    var lag = 0
    /// From the mid-exposure of a picture to the instant at which it was made, in microseconds.
    var delay = 0

    /// Nil for arguments that make no sense.
    init?(_ arguments: [String]) {
        var kind = "--path"
        var rest = arguments[...]
        if let word = rest.first, ["capabilities", "conformance", "screen"].contains(word) {
            listsCapabilities = word == "capabilities"
            runsConformance = word == "conformance"
            seesScreen = word == "screen"
            rest.removeFirst()
        }
        while let word = rest.popFirst() {
            switch word {
            case "--serial", "--bus", "--path": kind = word
            case "--camera-clock": usesCameraClock = true
            case "--frames", "--format", "--size", "--fps", "--hold", "--save", "--starts", "--pictures",
                "--driver-format", "--other", "--limit", "--seed", "--lag", "--delay", "--readout":
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
        case "--pictures":
            pictures = value
            return true
        case "--driver-format":
            let formats = value.split(separator: ",").map(String.init)
            (driverFormat, driverFormats) = formats.count > 1 ? (nil, formats) : (value, [])
            return true
        case "--other":
            other = .path(value)
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
        case "--limit": limit = number
        case "--seed": seed = number
        case "--lag": lag = number
        case "--delay": delay = number
        case "--readout": readout = number
        default: starts = number
        }
        return true
    }
}
