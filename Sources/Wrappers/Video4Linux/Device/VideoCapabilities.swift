import CVideo4Linux

/// What a device node says of itself (`VIDIOC_QUERYCAP`).
public struct VideoCapabilities: Hashable, Sendable {
    /// The driver's name, such as `uvcvideo`.
    public var driver: String
    /// The device's name, such as `HD Pro Webcam C920`.
    public var card: String
    /// Where the device is attached, such as `usb-0000:00:14.0-1`; a device's nodes share it.
    public var busInformation: String
    /// `V4L2_CAP_*` of this node, not of the whole device (`device_caps`).
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

    /// Whether it has the queue whose frames lie in one memory plane (`V4L2_CAP_VIDEO_CAPTURE`).
    public var capturesSinglePlanarVideo: Bool { flags & UInt32(CV4L_CAP_VIDEO_CAPTURE) != 0 }

    /// Whether it has the queue whose frames may lie in several (`V4L2_CAP_VIDEO_CAPTURE_MPLANE`).
    public var capturesMultiplanarVideo: Bool { flags & UInt32(CV4L_CAP_VIDEO_CAPTURE_MPLANE) != 0 }

    /// Whether frames can be taken by mapped buffers.
    public var streams: Bool { flags & UInt32(CV4L_CAP_STREAMING) != 0 }
}

/// The elements of a C array, which Swift sees as a tuple.
/// - Parameter count: How many are valid, as a driver says; never more are returned than there are.
func fixedArray<Tuple, Element>(_ tuple: Tuple, of type: Element.Type, count: UInt32) -> [Element] {
    unsafe withUnsafeBytes(of: tuple) { bytes in
        unsafe Array(bytes.bindMemory(to: type).prefix(Int(count)))
    }
}

/// The text of a C character array, which Swift sees as a tuple, up to its first zero.
func fixedText<Characters>(_ characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
