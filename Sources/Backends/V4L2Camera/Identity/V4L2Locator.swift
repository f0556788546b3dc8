import CameraKit
import CaptureModel
import Glibc
import Video4Linux

/// Finds the device node that an identity means.
struct V4L2Locator: Sendable {
    var tree = VideoNodeTree()
    /// Asks a node what it is, which opens it for that moment.
    var capabilities: @Sendable (_ path: String) throws(VideoError) -> VideoCapabilities = {
        (path: String) throws(VideoError) in try VideoDevice(path: path).capabilities
    }

    /// Where the kernel lists video devices.
    var systemFolder: String { tree.systemFolder }

    /// The path of the one capture node that `identity` means; a path is taken as it is, except that a link below
    /// `/dev/v4l/by-id` must not fit two cameras.
    ///
    /// Nodes that cannot be asked are left out, unless nothing else is found: then the first one's refusal is the error.
    /// - Throws: ``CameraError``: `absent`, `ambiguous`, or why a matching node cannot be asked.
    func path(of identity: V4L2Identity) throws(CameraError) -> String {
        if case .path(let path) = identity {
            try requireOwnWords(path)
            return path
        }
        let nodes = tree.nodes()
        var captures: [(node: VideoNode, busInformation: String)] = []
        var refusal: CameraError?
        for node in nodes where mayMatch(node, identity) {
            do throws(VideoError) {
                let answer = try capabilities(node.path)
                if answer.capturesVideo, matches(answer, identity) { captures.append((node, answer.busInformation)) }
            } catch {
                if error.errorNumber != ENODEV, error.errorNumber != ENOENT {
                    refusal = refusal ?? CameraError(error, device: identity.description)
                }
            }
        }
        return try onlyOne(of: captures, identity, refusal)
    }

    /// Whether this process may open what `identity` means, without opening it where sysfs tells which node that is.
    func access(to identity: V4L2Identity) -> NodeAccess {
        do throws(CameraError) {
            return NodeAccess(path: try pathWithoutAsking(of: identity), .video)
        } catch {
            switch error.code {
            case .denied: return NodeAccess(.denied, remedy: error.reason)
            case .restricted: return NodeAccess(.restricted, remedy: error.reason)
            default: return NodeAccess(.notDetermined, remedy: error.reason)
            }
        }
    }

    /// The first node of the device is the one that captures, on all USB cameras known.
    private func pathWithoutAsking(of identity: V4L2Identity) throws(CameraError) -> String {
        if case .path = identity { return try path(of: identity) }
        let matching = tree.nodes().filter { node in
            switch identity {
            case .path: false
            case .serial(let serial): node.usb?.serial == serial
            case .busInformation(let bus): node.usb?.busInformation == bus
            }
        }
        let devices = Set(matching.compactMap { $0.usb?.folder })
        guard devices.count == 1, let first = matching.min(by: { $0.index < $1.index }) else {
            return try path(of: identity)
        }
        return first.path
    }

    private func onlyOne(
        of found: [(node: VideoNode, busInformation: String)], _ identity: V4L2Identity, _ refusal: CameraError?
    ) throws(CameraError) -> String {
        if found.count > 1 { throw ambiguous(identity, found) }
        if let only = found.first { return only.node.path }
        throw refusal
            ?? CameraError(
                .absent, device: identity.description, operation: "find",
                reason: "no camera of this machine matches; `capagentd --list-devices` shows what is attached")
    }

    /// A link by id is made of maker, model and serial number; of two cameras with the same words, udev lets it lead to
    /// whichever came last.
    private func requireOwnWords(_ path: String) throws(CameraError) {
        guard path.hasPrefix(tree.idFolder + "/"), let name = tree.nodeName(at: path) else { return }
        let nodes = tree.nodes()
        guard let meant = nodes.first(where: { $0.name == name }), let usb = meant.usb else { return }
        let alike = nodes.filter { node in
            guard let other = node.usb else { return false }
            return node.index == meant.index && other.model == usb.model && other.serial == usb.serial
        }
        guard alike.count > 1 else { return }
        throw ambiguous(.path(path), alike.map { ($0, $0.usb?.busInformation ?? "") })
    }

    private func ambiguous(
        _ identity: V4L2Identity, _ found: [(node: VideoNode, busInformation: String)]
    ) -> CameraError {
        let lines = found.map { node, bus -> String in
            let usable = CameraIdentities(node, busInformation: bus, among: found).usable
            guard let best = usable.first else { return "\(node.path), which nothing but its number names" }
            return "`\(best.configurationLine)` for \(node.path)"
        }
        return CameraError(
            .ambiguous, device: identity.description, operation: "find",
            reason: "\(found.count) cameras match; write one of these instead: \(lines.joined(separator: ", or "))")
    }

    private func mayMatch(_ node: VideoNode, _ identity: V4L2Identity) -> Bool {
        guard case .serial(let serial) = identity else { return true }
        return node.usb?.serial == serial
    }

    private func matches(_ answer: VideoCapabilities, _ identity: V4L2Identity) -> Bool {
        guard case .busInformation(let bus) = identity else { return true }
        return answer.busInformation == bus
    }
}
