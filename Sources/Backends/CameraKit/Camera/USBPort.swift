/// The USB port a camera is on, found by its bus information in sysfs.
public struct USBPort: Hashable, Sendable {
    /// The kernel's number of the bus.
    public var busNumber: Int
    /// What the device negotiated: bits a second.
    public var bitsPerSecond: Int64

    /// The share of the bus that periodic transfers may take (USB 2.0, section 5.6.4: 80 % of a microframe, 90 % of a
    /// frame; SuperSpeed likewise 90 %, of the eight bits in ten that are data), bytes a second.
    public var periodicBytesPerSecond: Int64 {
        let megabits = bitsPerSecond / 1_000_000
        switch megabits {
        case 480: return bitsPerSecond / 8 / 10 * 8
        case 5000...: return bitsPerSecond / 10 / 10 * 9
        default: return bitsPerSecond / 8 / 10 * 9
        }
    }

    /// Blocks for a few reads of sysfs, which is in memory.
    /// - Parameter busInformation: As USB drivers spell it, `usb-0000:00:14.0-1.2`: controller and port.
    /// - Returns: nil for what is on no USB bus of this machine.
    public init?(busInformation: String, devicesFolder: String = "/sys/bus/usb/devices") {
        let place = busInformation.dropFirst(4)
        guard busInformation.hasPrefix("usb-"), let dash = place.lastIndex(of: "-") else { return nil }
        let (controller, port) = (place[..<dash], place[place.index(after: dash)...])
        guard !port.isEmpty, !controller.isEmpty else { return nil }
        for name in SystemFolder.entries(of: devicesFolder) where name.hasSuffix("-\(port)") && !name.contains(":") {
            let link = "\(devicesFolder)/\(name)"
            guard name.split(separator: "-").count == 2, let folder = SystemFolder.resolved(link),
                folder.split(separator: "/").contains(where: { $0 == controller }),
                let number = SystemFolder.text(of: "\(link)/busnum").flatMap(Int.init),
                let speed = SystemFolder.text(of: "\(link)/speed").flatMap(Double.init), (0...1e6).contains(speed)
            else { continue }
            busNumber = number
            bitsPerSecond = Int64(speed * 1e6)
            return
        }
        return nil
    }
}
