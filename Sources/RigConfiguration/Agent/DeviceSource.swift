public import CaptureModel

/// Which camera a device is.
public enum DeviceSource: Hashable, Sendable {
    case v4l2(V4L2Source)
    case virtual(VirtualCameraConfiguration)
    case file(FileCameraConfiguration)
}

/// How a V4L2 camera is recognised, so that identical cameras keep their names across reboot and re-plug.
public enum V4L2Source: Hashable, Sendable {
    /// A device node or a link to one: `/dev/v4l/by-path/…` names a socket, `/dev/v4l/by-id/…` a device.
    case path(String)
    /// Where it is attached, as its driver says: `usb-0000:00:14.0-1`.
    case bus(String)
    /// Its USB serial number, which must be unique on the machine.
    case serial(String)
}
