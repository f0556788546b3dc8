/// Which V4L2 device is meant, so that identical cameras keep their names across reboot and re-plug.
public enum V4L2Identity: Hashable, Sendable, CustomStringConvertible {
    /// A device node or any link to one: `/dev/v4l/by-path/…` names a socket, `/dev/v4l/by-id/…` a device.
    case path(String)
    /// Where the device is attached, as its driver says: `usb-0000:00:14.0-1`.
    case busInformation(String)
    /// The USB serial number, which must be unique on this machine.
    case serial(String)

    public var description: String {
        switch self {
        case .path(let path): path
        case .busInformation(let bus): "bus \(bus)"
        case .serial(let serial): "serial \(serial)"
        }
    }
}
