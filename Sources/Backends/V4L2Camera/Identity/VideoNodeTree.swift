import CameraKit

/// The video nodes of this machine, as shown by sysfs and `/dev`.
struct VideoNodeTree: Hashable, Sendable {
    /// The folder in which the kernel lists video devices.
    var systemFolder = "/sys/class/video4linux"
    /// The folder of the device nodes.
    var deviceFolder = "/dev"

    var pathFolder: String { "\(deviceFolder)/v4l/by-path" }
    var idFolder: String { "\(deviceFolder)/v4l/by-id" }

    /// Returns every node, `video2` before `video10`.
    func nodes() -> [VideoNode] {
        let pathLinks = links(in: pathFolder)
        let idLinks = links(in: idFolder)
        let names = SystemFolder.entries(of: systemFolder)
            .filter { $0.hasPrefix("video") && $0.count > 5 && $0.dropFirst(5).allSatisfy(\.isNumber) }
            .sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        return names.map { name in
            VideoNode(
                name: name, path: "\(deviceFolder)/\(name)",
                card: SystemFolder.text(of: "\(systemFolder)/\(name)/name") ?? "",
                index: SystemFolder.text(of: "\(systemFolder)/\(name)/index").flatMap { Int($0) } ?? 0,
                usb: USBDescription(ofNode: name, systemFolder: systemFolder),
                pathLinks: pathLinks[name] ?? [], idLinks: idLinks[name] ?? [])
        }
    }

    /// Returns the kernel's name of the node to which a path leads; nil if it does not exist.
    func nodeName(at path: String) -> String? {
        SystemFolder.resolved(path)?.split(separator: "/").last.map(String.init)
    }

    /// Returns links by the name of their target node.
    private func links(in folder: String) -> [String: [String]] {
        var links: [String: [String]] = [:]
        for link in SystemFolder.entries(of: folder).sorted() {
            guard let name = nodeName(at: "\(folder)/\(link)") else { continue }
            links[name, default: []].append("\(folder)/\(link)")
        }
        return links
    }
}

/// The identities of one capture node that match only it on this machine, best first. Pure.
struct CameraIdentities: Hashable, Sendable {
    /// Empty for a node that only its number identifies.
    var usable: [V4L2Identity]

    /// - Parameters:
    ///   - busInformation: As reported by the driver.
    ///   - all: Every capture node of the machine with its bus information, including this one.
    init(_ node: VideoNode, busInformation: String, among all: [(node: VideoNode, busInformation: String)]) {
        let others = all.filter { $0.node.name != node.name }
        usable = []
        if let serial = node.usb?.serial, V4L2Identity.isText(serial),
            !others.contains(where: { $0.node.usb?.serial == serial })
        {
            usable.append(.serial(serial))
        }
        if let link = node.pathLinks.first { usable.append(.path(link)) }
        if !busInformation.isEmpty, !others.contains(where: { $0.busInformation == busInformation }) {
            usable.append(.busInformation(busInformation))
        }
    }
}

/// The description in sysfs of the USB device to which a video node belongs.
struct USBDescription: Hashable, Sendable {
    /// The device's folder below `/sys`, which distinguishes devices with equal names.
    var folder: String
    /// Vendor and product number, such as `046d:082d`.
    var model: String
    var manufacturer: String?
    var product: String?
    var serial: String?
    /// The connection of the device, as USB drivers write it (`usb_make_path`): `usb-0000:00:14.0-1.2`. nil if sysfs
    /// does not show the path up to the host controller.
    var busInformation: String?

    /// V4L2 keeps this many bytes of bus information.
    private static let busInformationLimit = 31

    /// Walks from a video node up to its USB device: the first folder with an `idVendor`. nil for other buses.
    /// - Parameter node: The kernel's name, such as `video0`.
    init?(ofNode node: String, systemFolder: String = "/sys/class/video4linux") {
        guard var folder = SystemFolder.resolved("\(systemFolder)/\(node)/device") else { return nil }
        // The device itself is one or two levels up. The bound protects against an unexpected folder structure.
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

    /// Walks up over hubs to the root hub, such as `usb1`, whose parent is the host controller.
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

/// The description of one video node in sysfs and `/dev`, without opening it.
struct VideoNode: Hashable, Sendable {
    /// The kernel's name, which changes from boot to boot: `video0`.
    var name: String
    /// The path, `/dev/video0`.
    var path: String
    /// The driver's name for it, such as `HD Pro Webcam C920`.
    var card: String
    /// The index of the node within its device: 0 is the first, on USB cameras the one that captures.
    var index: Int
    /// nil for a device that is not on USB.
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
