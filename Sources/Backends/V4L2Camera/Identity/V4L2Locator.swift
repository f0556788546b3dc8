import CameraKit
import CaptureModel
import Glibc
import RigConfiguration
import Video4Linux

/// Finds the device node of an identity.
struct V4L2Locator: Sendable {
    var tree = VideoNodeTree()
    /// Queries a node's capabilities, which opens it for the duration of the call.
    var capabilities: @Sendable (_ path: String) throws(VideoError) -> VideoCapabilities = {
        (path: String) throws(VideoError) in try VideoDevice(path: path).capabilities
    }

    /// The folder in which the kernel lists video devices.
    var systemFolder: String { tree.systemFolder }

    /// Returns the path of the one capture node that matches `identity`. A path is used unchanged, except that a link
    /// below `/dev/v4l/by-id` must not match two cameras.
    ///
    /// Nodes that cannot be queried are left out, unless nothing else is found: then the first one's refusal is the
    /// error.
    /// - Throws: ``CameraError``: `absent`, `ambiguous`, or why a matching node cannot be queried.
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

    /// Returns whether this process may open the device of `identity`, without opening it if sysfs shows which node
    /// that is.
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

    /// Returns the USB port of the device, without opening it if sysfs shows which node that is; nil if it has none.
    func usbPort(of identity: V4L2Identity, devicesFolder: String = "/sys/bus/usb/devices") -> USBPort? {
        guard let path = try? pathWithoutAsking(of: identity), let name = tree.nodeName(at: path),
            let busInformation = tree.nodes().first(where: { $0.name == name })?.usb?.busInformation
        else { return nil }
        return USBPort(busInformation: busInformation, devicesFolder: devicesFolder)
    }

    /// Returns the first node of the device, which is the one that captures on all known USB cameras.
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

    /// Checks that a link by id is unique. It consists of maker, model and serial number. For two cameras with the same
    /// names, udev links the one that was added last.
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
            guard let best = usable.first else { return "\(node.path), which only its number identifies" }
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

/// The identity of a V4L2 device, so that identical cameras keep their names across reboot and re-plug.
///
/// From best to worst: a serial number that is unique on the machine, the socket's link below `/dev/v4l/by-path`, the
/// bus information. An identity that matches more than one camera is refused.
public enum V4L2Identity: Hashable, Sendable, CustomStringConvertible {
    /// A device node or any link to one. `/dev/v4l/by-path/…` names a socket, `/dev/v4l/by-id/…` a device, which is
    /// refused while another camera has the same names.
    case path(String)
    /// The connection of the device as its driver reports it: `usb-0000:00:14.0-1`.
    case busInformation(String)
    /// The USB serial number, which must be unique on this machine.
    case serial(String)

    public var description: String {
        switch self {
        case .path(let path): path
        case .busInformation(let bus): "bus \(bus)"
        case .serial(let serial): "serial \(serial)"
        }
    }

    /// The most bytes of a bus information or serial number in a configuration.
    static let textLimit = 128

    /// Whether a configuration can name a bus information or serial number. Hardware may claim any text.
    static func isText(_ text: String) -> Bool {
        text.utf8.count <= textLimit && text.contains { !$0.isWhitespace } && !text.hasUnprintable
    }

    /// The line of a device's configuration for this identity.
    public var configurationLine: String {
        switch self {
        case .path(let path): "source: { v4l2: { path: \(path.quotedForYAML) } }"
        case .busInformation(let bus): "source: { v4l2: { bus: \(bus.quotedForYAML) } }"
        case .serial(let serial): "source: { v4l2: { serial: \(serial.quotedForYAML) } }"
        }
    }
}

extension V4L2Identity {
    /// Reads the rest of the mapping, exactly one of the keys; nil, with a reported problem, if it is wrong.
    init?(restOf mapping: YAMLMapping) {
        let path = mapping.value("path")
        let bus = mapping.value("bus")
        let serial = mapping.value("serial")
        mapping.finish()
        switch (path, bus, serial) {
        case (let value?, nil, nil):
            guard let text = value.scalar(.absolutePath) else { return nil }
            self = .path(text)
        case (nil, let value?, nil):
            guard let text = value.scalar(.text(limit: Self.textLimit)) else { return nil }
            self = .busInformation(text)
        case (nil, nil, let value?):
            guard let text = value.scalar(.text(limit: Self.textLimit)) else { return nil }
            self = .serial(text)
        default:
            mapping.report(.badValue, "needs exactly one of 'path', 'bus' and 'serial'")
            return nil
        }
    }

    func write(to mapping: inout MappingBuilder) {
        switch self {
        case .path(let path): mapping.add("path", text: path)
        case .busInformation(let bus): mapping.add("bus", text: bus)
        case .serial(let serial): mapping.add("serial", text: serial)
        }
    }
}
