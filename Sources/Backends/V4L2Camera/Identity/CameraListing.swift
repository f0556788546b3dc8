public import CameraKit
public import CaptureModel

/// A camera of this machine, and how a configuration names it.
public struct CameraListing: Hashable, Codable, Sendable {
    /// The device node at present, such as `/dev/video0`; its number changes from boot to boot.
    public var node: String
    /// The driver's name for the camera.
    public var card: String
    /// Such as `uvcvideo`; nil where the node may not be opened.
    public var driver: String?
    /// Such as `usb-0000:00:14.0-1`; nil where the node may not be opened and is not on USB.
    public var bus: String?
    /// `/dev/v4l/by-path/…`: the socket. Empty without udev.
    public var pathLinks: [String]
    /// `/dev/v4l/by-id/…`: maker, model and serial number.
    public var idLinks: [String]
    /// The USB serial number; nil where there is none.
    public var serial: String?
    /// Whether no other camera of this machine has the serial number; nil without one.
    public var isSerialUnique: Bool?
    public var authorization: AuthorizationStatus
    /// What to do where it is not authorized.
    public var remedy: String?
    /// Lines for the configuration of a device, each of which means this camera and no other, best first.
    public var configurationLines: [String]

    public init(
        node: String, card: String, driver: String? = nil, bus: String? = nil, pathLinks: [String] = [],
        idLinks: [String] = [], serial: String? = nil, isSerialUnique: Bool? = nil,
        authorization: AuthorizationStatus, remedy: String? = nil, configurationLines: [String] = []
    ) {
        self.node = node
        self.card = card
        self.driver = driver
        self.bus = bus
        self.pathLinks = pathLinks
        self.idLinks = idLinks
        self.serial = serial
        self.isSerialUnique = isSerialUnique
        self.authorization = authorization
        self.remedy = remedy
        self.configurationLines = configurationLines
    }
}

extension CameraListing: DeviceListing {
    public var mediaType: MediaType { .video }

    public var paragraph: [String] {
        var lines = ["\(node)  \(card)"]
        lines += configurationLines.map { "    \($0)" }
        if configurationLines.isEmpty {
            lines.append(
                "  nothing but its number names it: plug it into another socket, or run udev for by-path links")
        }
        lines.append("  bus \(bus ?? "unknown"), driver \(driver ?? "unknown"), \(serialText)")
        lines.append("  \(authorization.rawValue)\(remedy.map { ": \($0)" } ?? "")")
        return lines
    }

    private var serialText: String {
        guard let serial else { return "no serial number" }
        return isSerialUnique == true ? "serial \(serial)" : "serial \(serial), which another camera has too"
    }
}
