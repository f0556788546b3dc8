/// What the kernel's sysfs tells of the USB device a video node belongs to.
struct USBDescription: Hashable, Sendable {
    var manufacturer: String?
    var product: String?
    var serial: String?

    /// Walks from a video node up to its USB device: the first folder with an `idVendor`. Nil for other buses.
    /// - Parameter node: The kernel's name, such as `video0`.
    init?(ofNode node: String, systemFolder: String = "/sys/class/video4linux") {
        guard var folder = SystemFolder.resolved("\(systemFolder)/\(node)/device") else { return nil }
        // The device itself is one or two steps up; the bound keeps the walk from a file system's odd shape.
        for _ in 0..<8 {
            if SystemFolder.text(of: "\(folder)/idVendor") != nil {
                manufacturer = SystemFolder.text(of: "\(folder)/manufacturer")
                product = SystemFolder.text(of: "\(folder)/product")
                serial = SystemFolder.text(of: "\(folder)/serial")
                return
            }
            guard let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return nil }
            folder = String(folder[..<slash])
        }
        return nil
    }
}
