import CameraKit

/// What the kernel's sysfs tells of the USB device a video node belongs to.
struct USBDescription: Hashable, Sendable {
    /// The device's folder below `/sys`: which device it is, of several of equal words.
    var folder: String
    /// Vendor and product number, such as `046d:082d`.
    var model: String
    var manufacturer: String?
    var product: String?
    var serial: String?
    /// Where it is attached, as USB drivers spell it (`usb_make_path`): `usb-0000:00:14.0-1.2`. Nil where sysfs does not
    /// show the way up to the host controller.
    var busInformation: String?

    /// V4L2 keeps this many bytes of bus information.
    private static let busInformationLimit = 31

    /// Walks from a video node up to its USB device: the first folder with an `idVendor`. Nil for other buses.
    /// - Parameter node: The kernel's name, such as `video0`.
    init?(ofNode node: String, systemFolder: String = "/sys/class/video4linux") {
        guard var folder = SystemFolder.resolved("\(systemFolder)/\(node)/device") else { return nil }
        // The device itself is one or two steps up; the bound keeps the walk from a file system's odd shape.
        for _ in 0..<8 {
            if let vendor = SystemFolder.text(of: "\(folder)/idVendor") {
                self.init(folder, vendor)
                return
            }
            guard let parent = Self.parent(folder) else { return nil }
            folder = parent
        }
        return nil
    }

    private init(_ folder: String, _ vendor: String) {
        self.folder = folder
        model = "\(vendor):\(SystemFolder.text(of: "\(folder)/idProduct") ?? "")"
        manufacturer = SystemFolder.text(of: "\(folder)/manufacturer")
        product = SystemFolder.text(of: "\(folder)/product")
        serial = SystemFolder.text(of: "\(folder)/serial")
        busInformation = Self.busInformation(folder)
    }

    /// Climbs over hubs to the root hub, `usb1` and the like, whose parent is the host controller.
    private static func busInformation(_ device: String) -> String? {
        guard let place = SystemFolder.text(of: "\(device)/devpath") else { return nil }
        var folder = device
        for _ in 0..<8 {
            guard let parent = parent(folder) else { return nil }
            let name = lastName(folder)
            if name.hasPrefix("usb"), name.count > 3, name.dropFirst(3).allSatisfy(\.isNumber) {
                let whole = "usb-\(lastName(parent))-\(place)"
                return String(decoding: whole.utf8.prefix(busInformationLimit), as: UTF8.self)
            }
            folder = parent
        }
        return nil
    }

    private static func parent(_ folder: String) -> String? {
        guard let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return nil }
        return String(folder[..<slash])
    }

    private static func lastName(_ folder: String) -> Substring {
        folder.lastIndex(of: "/").map { folder[folder.index(after: $0)...] } ?? folder[...]
    }
}
