import CameraKit
public import CaptureModel
import Foundation
import RigConfiguration

/// The cameras and microphones of a machine as the first configuration of its node: each under a name that stays after a
/// reboot.
public struct FoundDevices: Sendable {
    /// A device as a configuration has it.
    private struct Found {
        var mediaType: MediaType
        var title: String
        var line: String
    }

    private let found: [Found]
    /// Devices that no configuration can name, or that were not wanted, by their names for people.
    public let leftOut: [String]

    /// - Parameter only: Only devices whose name for people, or configuration, has one of these texts; all if it is empty.
    /// - Throws: ``NoSuchDevice`` if one of the texts is in none.
    public init(_ inventory: DeviceInventory, only: [String] = []) throws(NoSuchDevice) {
        let listings = inventory.discoveries.flatMap(\.listings)
        var (found, leftOut): ([Found], [String]) = ([], [])
        for listing in listings {
            let isWanted = only.isEmpty || only.contains { Self.has(listing, $0) }
            if let line = listing.stableLine, isWanted {
                found.append(Found(mediaType: listing.mediaType, title: Self.printable(listing.title), line: line))
            } else {
                leftOut.append(Self.printable(listing.title))
            }
        }
        for text in only where !listings.contains(where: { Self.has($0, text) }) {
            throw NoSuchDevice(text: text, titles: listings.map { Self.printable($0.title) })
        }
        self.found = found
        self.leftOut = leftOut
    }

    private static func has(_ listing: any DeviceListing, _ text: String) -> Bool {
        listing.title.localizedCaseInsensitiveContains(text)
            || listing.stableLine?.localizedCaseInsensitiveContains(text) == true
    }

    /// Makes a purpose, and a text for a terminal, of what a device says of itself.
    private static func printable(_ title: String) -> String {
        title.printable(replacement: " ", limit: 64)
    }

    /// Names of the cameras for people, in the order of their names `cam1`, `cam2` and so on.
    public var cameras: [String] { found.filter { $0.mediaType == .video }.map(\.title) }

    /// Names of the microphones for people, in the order of their names `mic1`, `mic2` and so on.
    public var microphones: [String] { found.filter { $0.mediaType == .audio }.map(\.title) }

    /// The command that writes a configuration.
    public enum Origin: Sendable {
        /// `capagentd join`.
        case join
        /// `capagentd --list-devices --format yaml`, whose reader completes it.
        case listing
    }

    /// The text of the node's configuration file.
    /// - Parameters:
    ///   - origin: Decides the comments at its beginning.
    ///   - coordinator: The coordinator's control channel, `tcp://HOST:PORT`.
    ///   - keys: The folder of the node's keys, if it is not that of the spool.
    public func yaml(
        by origin: Origin = .join, node: NodeName, coordinator: String, spool: String, keys: String? = nil
    ) -> String {
        var lines =
            heading(origin).map { "# \($0)" } + [
                "node: \(node)", "coordinator: \(coordinator)", "spool: { folder: \(spool.quotedForYAML) }",
            ]
        if let keys { lines.append("keys: { folder: \(keys.quotedForYAML) }") }
        lines += list("devices", "cam", .video) + list("microphones", "mic", .audio)
        return lines.map { $0 + "\n" }.joined()
    }

    private func heading(_ origin: Origin) -> [String] {
        guard origin == .listing else {
            return [
                "Written by `capagentd join`. docs/configuration.md describes every key; `capagentd --list-devices` lists the devices."
            ]
        }
        return [
            "The cameras and microphones of this machine. docs/configuration.md describes every key.",
            "`capagentd join CODE` writes this to /etc/caprig/agent.yaml.",
        ]
            + leftOut.map { "Left out, since nothing names it permanently: \($0)" }
            + (cameras.isEmpty ? Self.withoutCameras : [])
    }

    private static let withoutCameras = [
        "This machine has no camera that a configuration can name. Plug one in, and run this command again:",
        "capagentd --list-devices --format yaml. Without cameras, `capctl demo` shows a rig of virtual ones.",
    ]

    private func list(_ key: String, _ prefix: String, _ mediaType: MediaType) -> [String] {
        let devices = found.filter { $0.mediaType == mediaType }
        guard !devices.isEmpty else { return ["\(key): []"] }
        return ["\(key):"]
            + devices.enumerated().flatMap { index, device in
                ["  - name: \(prefix)\(index + 1)", "    purpose: \(device.title.quotedForYAML)", "    \(device.line)"]
            }
    }
}
