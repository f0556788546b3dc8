import CVideo4Linux
import Glibc

/// An open V4L2 device node, closed when the last reference is released.
///
/// Its methods are ioctls of the same names. The kernel serializes them, so they may be called from any thread. Some, above all controls of
/// USB cameras, block until the hardware has answered, for seconds if it is faulty.
public final class VideoDevice: Sendable {
    /// The path as it was opened.
    public let path: String
    /// The capabilities of the node when it was opened.
    public let capabilities: VideoCapabilities
    let descriptor: Int32

    /// The buffer type for capture; the single-planar one if the node has both. That for metadata if it captures only these.
    var queue: UInt32 {
        if capabilities.capturesSinglePlanarVideo { return UInt32(CV4L_QUEUE_CAPTURE) }
        let capturesOnlyMetadata = capabilities.capturesMetadata && !capabilities.capturesVideo
        return UInt32(capturesOnlyMetadata ? CV4L_QUEUE_META_CAPTURE : CV4L_QUEUE_CAPTURE_MPLANE)
    }

    /// Opens the node at `path`, following a symbolic link, without blocking and without changing the device.
    public init(path: String) throws(VideoError) {
        var descriptor: Int32 = -1
        try VideoError.check(unsafe cv4l_open(path, &descriptor), "open", path)
        var answer = cv4l_capability()
        let errorNumber = unsafe cv4l_query_capability(descriptor, &answer)
        if errorNumber != 0 { cv4l_close(descriptor) }
        try VideoError.check(errorNumber, "VIDIOC_QUERYCAP", path)
        self.path = path
        self.descriptor = descriptor
        capabilities = VideoCapabilities(answer)
    }

    deinit {
        cv4l_close(descriptor)
    }

    /// Whether the driver still knows the device; false once it has been unplugged.
    public var isPresent: Bool {
        var answer = cv4l_capability()
        let errorNumber = unsafe cv4l_query_capability(descriptor, &answer)
        return errorNumber != ENODEV && errorNumber != ENXIO
    }

    func check(_ errorNumber: Int32, _ operation: String) throws(VideoError) {
        try VideoError.check(errorNumber, operation, path)
    }

    /// Collects the items of an enumerating ioctl until it returns `EINVAL`.
    ///
    /// A driver without the ioctl (`ENOTTY`) has no items. The bound guards against an endless enumeration.
    func enumerate<Item>(
        _ operation: String, _ next: (_ index: UInt32, _ item: inout Item) -> Int32, initial: Item
    ) throws(VideoError) -> [Item] {
        var items: [Item] = []
        for index in 0..<UInt32(1024) {
            var item = initial
            let errorNumber = next(index, &item)
            if errorNumber == EINVAL || errorNumber == ENOTTY { break }
            try check(errorNumber, operation)
            items.append(item)
        }
        return items
    }
}

/// The capabilities that a device node reports (`VIDIOC_QUERYCAP`).
public struct VideoCapabilities: Hashable, Sendable {
    /// The driver's name, such as `uvcvideo`.
    public var driver: String
    /// The device's name, such as `HD Pro Webcam C920`.
    public var card: String
    /// Where the device is attached, such as `usb-0000:00:14.0-1`; a device's nodes share it.
    public var busInformation: String
    /// `V4L2_CAP_*` of this node, not of the complete device (`device_caps`).
    public var flags: UInt32

    public init(driver: String, card: String, busInformation: String, flags: UInt32) {
        self.driver = driver
        self.card = card
        self.busInformation = busInformation
        self.flags = flags
    }

    init(_ capability: cv4l_capability) {
        self.init(
            driver: fixedText(capability.driver), card: fixedText(capability.card),
            busInformation: fixedText(capability.bus_info), flags: capability.capabilities)
    }

    /// Whether the node captures video; metadata and output nodes do not.
    public var capturesVideo: Bool { capturesSinglePlanarVideo || capturesMultiplanarVideo }

    /// Whether the node has the queue whose frames are in one memory plane (`V4L2_CAP_VIDEO_CAPTURE`).
    public var capturesSinglePlanarVideo: Bool { flags & UInt32(CV4L_CAP_VIDEO_CAPTURE) != 0 }

    /// Whether the node has the queue whose frames may be in several memory planes (`V4L2_CAP_VIDEO_CAPTURE_MPLANE`).
    public var capturesMultiplanarVideo: Bool { flags & UInt32(CV4L_CAP_VIDEO_CAPTURE_MPLANE) != 0 }

    /// Whether the node captures metadata of frames (`V4L2_CAP_META_CAPTURE`).
    public var capturesMetadata: Bool { flags & UInt32(CV4L_CAP_META_CAPTURE) != 0 }

    /// Whether frames can be captured with mapped buffers.
    public var streams: Bool { flags & UInt32(CV4L_CAP_STREAMING) != 0 }
}

/// Returns the elements of a C array, which Swift imports as a tuple.
/// - Parameter count: The number of valid elements that a driver reports. The result has at most as many as the array.
func fixedArray<Tuple, Element>(_ tuple: Tuple, of type: Element.Type, count: UInt32) -> [Element] {
    unsafe withUnsafeBytes(of: tuple) { bytes in
        unsafe Array(bytes.bindMemory(to: type).prefix(Int(count)))
    }
}

/// Returns the text of a C character array, which Swift imports as a tuple, up to its first zero.
func fixedText<Characters>(_ characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
