import CameraKit
import CaptureModel
import Glibc
import PosixSupport
import Video4Linux

extension FormatOffer {
    /// Returns a device's offers that can be captured, in the driver's order. May wait for the hardware. If several
    /// driver formats are the same after packing, the first is used.
    /// - Parameter driverFormat: The only driver format to list; nil for all.
    static func all(of device: VideoDevice, only driverFormat: FourCC? = nil) throws(VideoError) -> [FormatOffer] {
        var offers: [FormatOffer] = []
        for offer in try V4L2Setup.offers(device, only: driverFormat) {
            guard let source = offer.source, !offers.contains(where: { $0.isSame(as: source) }) else { continue }
            var sizes: [SizeOffer] = []
            for size in offer.sizes where SizeOffer.isSupported(size, of: source) {
                // For a range of sizes, asks for the intervals of the largest, which is the slowest.
                let intervals = try device.frameIntervals(
                    of: offer.format, width: size.widths.maximum, height: size.heights.maximum)
                sizes.append(SizeOffer(size, intervals))
            }
            guard !sizes.isEmpty || offer.sizes.isEmpty else { continue }
            offers.append(FormatOffer(source, sizes))
        }
        return offers
    }

    private func isSame(as source: DriverFormat) -> Bool {
        source.convertedFrom == nil && convertedFrom == nil && pixelFormat == source.pixelFormat
    }

    private init(_ source: DriverFormat, _ sizes: [SizeOffer]) {
        self.init(
            pixelFormat: source.pixelFormat,
            convertedFrom: source.convertedFrom == nil ? nil : source.fourcc.description, sizes: sizes)
    }
}

extension SizeOffer {
    /// Returns whether any frame of a size or range can be captured. A single size is checked; a range is assumed to be
    /// supported.
    static func isSupported(_ size: FrameSizes, of source: DriverFormat) -> Bool {
        let isSingle = size.widths.minimum == size.widths.maximum && size.heights.minimum == size.heights.maximum
        return !isSingle || source.accepts(width: size.widths.minimum, height: size.heights.minimum)
    }

    init(_ size: FrameSizes, _ intervals: [FrameIntervals]) {
        self.init(
            widths: PixelRange(size.widths), heights: PixelRange(size.heights),
            intervals: intervals.compactMap(IntervalOffer.init))
    }
}

extension PixelRange {
    init(_ range: SteppedRange) {
        self.init(Int(range.minimum), Int(range.maximum), step: Int(range.step))
    }
}

extension IntervalOffer {
    /// nil for invalid fractions.
    init?(_ intervals: FrameIntervals) {
        guard let shortest = intervals.shortest.nanoseconds, let longest = intervals.longest.nanoseconds else {
            return nil
        }
        self.init(shortestNanoseconds: min(shortest, longest), longestNanoseconds: max(shortest, longest))
    }
}

extension CameraError {
    /// Translates the failure of a V4L2 call, with a remedy for people.
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
            (.failed, "it is not a video device: correct its identity in the configuration")
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
            // The kernel's answer has changed since, or the operation was not an open.
            return (.denied, "add the user of this process to the `video` group, or give it the device by a udev rule")
        }
    }
}

extension VideoError {
    /// Translates a failure to create a thread or an event flag for a camera.
    init(_ error: PosixError, devicePath: String) {
        self.init(errorNumber: error.code, operation: "\(error.operation) \(error.subject)", devicePath: devicePath)
    }
}
