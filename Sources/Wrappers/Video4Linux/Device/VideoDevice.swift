import CVideo4Linux
import Glibc

/// An open V4L2 device node; closed when the last reference goes.
///
/// Its methods are ioctls of the same names. The kernel serialises them, so they may be called from any thread; some
/// (controls of USB cameras above all) block until the hardware has answered, for seconds where it is broken.
public final class VideoDevice: Sendable {
    /// The path as it was opened.
    public let path: String
    /// What the node said when it was opened.
    public let capabilities: VideoCapabilities
    let descriptor: Int32

    /// The buffer type it captures by; the single-planar one where it has both.
    var queue: UInt32 {
        UInt32(capabilities.capturesSinglePlanarVideo ? CV4L_QUEUE_CAPTURE : CV4L_QUEUE_CAPTURE_MPLANE)
    }

    /// Opens the node at `path` (a symbolic link is followed), without blocking and without changing it.
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

    /// Whether the driver still knows the device: false once it has been unplugged.
    public var isPresent: Bool {
        var answer = cv4l_capability()
        let errorNumber = unsafe cv4l_query_capability(descriptor, &answer)
        return errorNumber != ENODEV && errorNumber != ENXIO
    }

    func check(_ errorNumber: Int32, _ operation: String) throws(VideoError) {
        try VideoError.check(errorNumber, operation, path)
    }

    /// Collects what an enumerating ioctl yields until it says `EINVAL`.
    ///
    /// A driver without the ioctl (`ENOTTY`) has nothing to enumerate. The bound guards against one that never ends.
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
