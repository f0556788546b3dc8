public import CameraKit
import PosixSupport
import Video4Linux

extension CameraListing {
    /// Every V4L2 camera of this machine, in the order of their nodes. Nodes are opened to be asked what they are, and
    /// nothing else; the work is done on a thread of its own.
    /// - Throws: ``CameraError`` where there is no thread to be had.
    public static func ofThisMachine() async throws(CameraError) -> [CameraListing] {
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "list-devices") { V4L2Locator().listings() }
        } catch {
            throw CameraError(.failed, device: "this machine", operation: "list cameras", reason: error.description)
        }
    }
}

extension V4L2Locator {
    /// Every node that captures, or may: one that cannot be asked counts when it is the first of its device.
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
