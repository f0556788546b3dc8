import CameraKit
import Video4Linux

extension V4L2Locator {
    /// Returns the node with the metadata of a USB camera's frames: the next one of the same interface. A camera with several streams has a
    /// pair of nodes for each. nil if there is none, and for drivers other than `uvcvideo`.
    /// - Parameter path: Of the node that captures, or a link to it.
    func metadataPath(besideNodeAt path: String) -> String? {
        let nodes = tree.nodes()
        guard let name = tree.nodeName(at: path), let own = nodes.first(where: { $0.name == name }),
            let interface = interface(of: own)
        else { return nil }
        let next = nodes.first { $0.index == own.index + 1 && self.interface(of: $0) == interface }
        guard let next, let answer = try? capabilities(next.path) else { return nil }
        let isMetadata = answer.capturesMetadata && !answer.capturesVideo && answer.streams
        return isMetadata && answer.driver == UVCMetadata.driver ? next.path : nil
    }

    /// The folder below `/sys` of what the node belongs to, of a USB camera an interface; nil if there is none.
    private func interface(of node: VideoNode) -> String? {
        SystemFolder.resolved("\(systemFolder)/\(node.name)/device")
    }
}
