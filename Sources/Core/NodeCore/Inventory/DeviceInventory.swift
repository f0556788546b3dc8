public import ALSAMicrophone
import CaptureModel
import Foundation
public import V4L2Camera

/// The cameras and microphones of a machine as `capagentd --list-devices` prints them, with the lines that name them in a configuration.
public struct DeviceInventory: Sendable {
    public var cameras: [CameraListing]
    public var microphones: [MicrophoneListing]

    public init(_ cameras: [CameraListing], _ microphones: [MicrophoneListing] = []) {
        self.cameras = cameras
        self.microphones = microphones
    }

    /// For people: a paragraph a device, and the lines to paste as they are.
    public var table: String {
        let noCamera =
            "This machine shows no V4L2 camera (/sys/class/video4linux); "
            + "plug one in, or give this container its devices.\n"
        let noMicrophone = "This machine shows no microphone of ALSA.\n"
        let paragraphs =
            (cameras.isEmpty ? [noCamera] : cameras.map(paragraph))
            + (microphones.isEmpty ? [noMicrophone] : microphones.map(paragraph))
        return paragraphs.joined(separator: "\n")
    }

    /// For programs: `cameras[]` with the members of ``CameraListing``, `microphones[]` with those of ``MicrophoneListing``.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Document(cameras: cameras, microphones: microphones)), as: UTF8.self)
            + "\n"
    }

    private struct Document: Encodable {
        var cameras: [CameraListing]
        var microphones: [MicrophoneListing]
    }

    private func paragraph(_ microphone: MicrophoneListing) -> String {
        let remedy = microphone.remedy.map { ": \($0)" } ?? ""
        return [
            "\(microphone.device)  \(microphone.description)", "    \(microphone.configurationLine)",
            "  \(microphone.authorization.rawValue)\(remedy)",
        ].map { Self.printable($0) + "\n" }.joined()
    }

    private func paragraph(_ camera: CameraListing) -> String {
        var lines = ["\(camera.node)  \(camera.card)"]
        lines += camera.configurationLines.map { "    \($0)" }
        if camera.configurationLines.isEmpty {
            lines.append(
                "  nothing but its number names it: plug it into another socket, or run udev for by-path links")
        }
        lines.append("  bus \(camera.bus ?? "unknown"), driver \(camera.driver ?? "unknown"), \(serial(camera))")
        if let remedy = camera.remedy {
            lines.append("  \(camera.authorization.rawValue): \(remedy)")
        } else {
            lines.append("  \(camera.authorization.rawValue)")
        }
        return lines.map { Self.printable($0) + "\n" }.joined()
    }

    private func serial(_ camera: CameraListing) -> String {
        guard let serial = camera.serial else { return "no serial number" }
        return camera.isSerialUnique == true ? "serial \(serial)" : "serial \(serial), which another camera has too"
    }

    /// A device's own words may hold line feeds and escape sequences; on a terminal neither may act.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
