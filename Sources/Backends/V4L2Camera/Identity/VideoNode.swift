import CameraKit

/// What sysfs and `/dev` tell of one video node, without opening it.
struct VideoNode: Hashable, Sendable {
    /// The kernel's name, which changes from boot to boot: `video0`.
    var name: String
    /// `/dev/video0`.
    var path: String
    /// The driver's name for it, such as `HD Pro Webcam C920`.
    var card: String
    /// Which of its device's nodes it is: 0 is the first, on USB cameras the one that captures.
    var index: Int
    /// Nil for a device that is not on USB.
    var usb: USBDescription?
    /// udev's links that name the socket, sorted: `/dev/v4l/by-path/…`.
    var pathLinks: [String]
    /// udev's links that name the device by maker, model and serial number, sorted: `/dev/v4l/by-id/…`.
    var idLinks: [String]
}

extension NodeAccess.DeviceClass {
    /// Cameras of V4L2.
    static var video: Self {
        Self(subsystem: "video4linux", controlGroupClass: "char-video4linux", group: "video", noun: "camera")
    }
}
