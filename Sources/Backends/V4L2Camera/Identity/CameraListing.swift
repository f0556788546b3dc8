public import CameraKit
public import CaptureModel
import PosixSupport
import Video4Linux

/// A camera of this machine, and how a configuration names it.
public struct CameraListing: Hashable, Codable, Sendable {
    /// The present device node, such as `/dev/video0`. Its number changes from boot to boot.
    public var node: String
    /// The driver's name for the camera.
    public var card: String
    /// The driver, such as `uvcvideo`; nil if the node may not be opened.
    public var driver: String?
    /// The bus information, such as `usb-0000:00:14.0-1`; nil if the node may not be opened and is not on USB.
    public var bus: String?
    /// Links of the socket, `/dev/v4l/by-path/…`. Empty without udev.
    public var pathLinks: [String]
    /// Links by maker, model and serial number, `/dev/v4l/by-id/…`.
    public var idLinks: [String]
    /// The USB serial number; nil if there is none.
    public var serial: String?
    /// Whether no other camera of this machine has the serial number; nil without one.
    public var isSerialUnique: Bool?
    public var authorization: AuthorizationStatus
    /// What to do if it is not authorized.
    public var remedy: String?
    /// Lines for the configuration of a device, each of which identifies only this camera, best first.
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
    public var title: String { card }
    public var stableLine: String? { configurationLines.first }

    public var paragraph: [String] {
        var lines = ["\(node)  \(card)"]
        lines += configurationLines.map { "    \($0)" }
        if configurationLines.isEmpty {
            lines.append(
                "  only its number identifies it: plug it into another socket, or run udev for by-path links")
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

extension CameraListing {
    /// Returns every V4L2 camera of this machine, in the order of their nodes. Nodes are opened only to query their
    /// capabilities. A separate thread does the work.
    /// - Throws: ``CameraError`` if no thread can be created.
    public static func ofThisMachine() async throws(CameraError) -> [CameraListing] {
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "list-devices") { V4L2Locator().listings() }
        } catch {
            throw CameraError(.failed, device: "this machine", operation: "list cameras", reason: error.description)
        }
    }
}

extension V4L2Locator {
    /// Returns every node that captures, or may: one that cannot be queried counts if it is the first of its device.
    func listings() -> [CameraListing] {
        let asked = tree.nodes().compactMap(ask)
        let all = asked.map { (node: $0.node, busInformation: $0.bus) }
        return asked.map { listing($0, among: all) }
    }

    private struct Asked {
        var node: VideoNode
        var bus: String
        var answer: VideoCapabilities?
    }

    private func ask(_ node: VideoNode) -> Asked? {
        do throws(VideoError) {
            let answer = try capabilities(node.path)
            return answer.capturesVideo ? Asked(node: node, bus: answer.busInformation, answer: answer) : nil
        } catch {
            return node.index == 0 ? Asked(node: node, bus: node.usb?.busInformation ?? "", answer: nil) : nil
        }
    }

    private func listing(
        _ asked: Asked, among all: [(node: VideoNode, busInformation: String)]
    ) -> CameraListing {
        let node = asked.node
        let access = NodeAccess(path: node.path, .video)
        let serial = node.usb?.serial
        let owners = Set(
            all.filter { serial != nil && $0.node.usb?.serial == serial }.compactMap { $0.node.usb?.folder })
        return CameraListing(
            node: node.path, card: asked.answer?.card ?? node.card, driver: asked.answer?.driver,
            bus: asked.bus.isEmpty ? nil : asked.bus, pathLinks: node.pathLinks, idLinks: node.idLinks,
            serial: serial, isSerialUnique: serial.map { _ in owners.count == 1 }, authorization: access.status,
            remedy: access.remedy,
            configurationLines: CameraIdentities(node, busInformation: asked.bus, among: all)
                .usable.map(\.configurationLine))
    }
}
