import RigConfiguration

/// Which V4L2 device is meant, so that identical cameras keep their names across reboot and re-plug.
///
/// From the best to the last resort: a serial number that is unique on the machine, the socket's link below
/// `/dev/v4l/by-path`, the bus information. What matches more than one camera is refused, never guessed.
public enum V4L2Identity: Hashable, Sendable, CustomStringConvertible {
    /// A device node or any link to one: `/dev/v4l/by-path/…` names a socket, `/dev/v4l/by-id/…` a device, which is
    /// refused while another camera has the same words.
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

    /// The line of a device's configuration that means this.
    public var configurationLine: String {
        switch self {
        case .path(let path): "source: { v4l2: { path: \(path.quotedForYAML) } }"
        case .busInformation(let bus): "source: { v4l2: { bus: \(bus.quotedForYAML) } }"
        case .serial(let serial): "source: { v4l2: { serial: \(serial.quotedForYAML) } }"
        }
    }
}
