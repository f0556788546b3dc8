import CameraKit

/// The video nodes of this machine, as sysfs and `/dev` show them.
struct VideoNodeTree: Hashable, Sendable {
    /// Where the kernel lists video devices.
    var systemFolder = "/sys/class/video4linux"
    /// Where the device nodes are.
    var deviceFolder = "/dev"

    var pathFolder: String { "\(deviceFolder)/v4l/by-path" }
    var idFolder: String { "\(deviceFolder)/v4l/by-id" }

    /// Every node, `video2` before `video10`.
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

    /// The kernel's name of the node that a path leads to; nil where nothing is there.
    func nodeName(at path: String) -> String? {
        SystemFolder.resolved(path)?.split(separator: "/").last.map(String.init)
    }

    /// Links by the name of the node they lead to.
    private func links(in folder: String) -> [String: [String]] {
        var links: [String: [String]] = [:]
        for link in SystemFolder.entries(of: folder).sorted() {
            guard let name = nodeName(at: "\(folder)/\(link)") else { continue }
            links[name, default: []].append("\(folder)/\(link)")
        }
        return links
    }
}
