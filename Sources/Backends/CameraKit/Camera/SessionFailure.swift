public import CaptureModel

/// What ended a stream, or kept it from starting, classified by the remedy.
public struct SessionFailure: Hashable, Sendable, CustomStringConvertible {
    /// The remedy for a failure.
    public enum Kind: Hashable, Sendable {
        /// Wait for the end of an external reason.
        case interruption(InterruptionReason)
        /// The system refuses this process. A person has to grant access.
        case refused(AuthorizationStatus)
        /// The configuration is not possible. A person has to change it.
        case configuration(step: String)
        /// The device or its driver failed.
        case runtime
        /// Like `runtime`: the stream delivered no good frame for longer than the watchdog allows.
        case stall
    }

    public var kind: Kind
    /// A sentence with the problem, the device and the reason.
    public var description: String

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    public init(_ error: CameraError) {
        description = error.description
        switch error.code {
        case .absent: kind = .interruption(.deviceAbsent)
        case .busy: kind = .interruption(.inUseByAnotherClient)
        case .noBandwidth: kind = .interruption(.noBandwidth)
        case .denied: kind = .refused(.denied)
        case .restricted: kind = .refused(.restricted)
        case .failed: kind = .runtime
        // Impossible configurations: no such format, or more than one such device.
        default: kind = .configuration(step: error.operation)
        }
    }
}

/// The USB port of a camera, found in sysfs by its bus information.
public struct USBPort: Hashable, Sendable {
    /// The kernel's number of the bus.
    public var busNumber: Int
    /// The speed that the device negotiated, bits per second.
    public var bitsPerSecond: Int64

    /// The share of the bus for periodic transfers (USB 2.0, section 5.6.4: 80 % of a microframe, 90 % of a frame;
    /// SuperSpeed likewise 90 %, of the eight bits in ten that are data), bytes per second.
    public var periodicBytesPerSecond: Int64 {
        let megabits = bitsPerSecond / 1_000_000
        switch megabits {
        case 480: return bitsPerSecond / 8 / 10 * 8
        case 5000...: return bitsPerSecond / 10 / 10 * 9
        default: return bitsPerSecond / 8 / 10 * 9
        }
    }

    /// Finds the port. Blocks for a few reads of sysfs, which is in memory.
    /// - Parameter busInformation: As USB drivers write it, `usb-0000:00:14.0-1.2`: controller and port.
    /// - Returns: nil for devices that are not on a USB bus of this machine.
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
