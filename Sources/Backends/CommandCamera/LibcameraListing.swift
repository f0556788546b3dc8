import CameraKit
import CaptureModel
import PosixSupport
import RigConfiguration

/// A camera that libcamera has found, as a line of `caprig-libcamera --list` has it.
struct LibcameraListing: DeviceListing, Hashable {
    var id: String
    /// nil if libcamera does not know it.
    var model: String?
    var configurationLines: [String] { isUSB ? [] : [line] }

    var mediaType: MediaType { .video }
    var title: String { model ?? id }
    /// nil for a camera on USB, which V4L2 lists too.
    var stableLine: String? { isUSB ? nil : line }

    var paragraph: [String] {
        let name = [id, model].compactMap(\.self).joined(separator: "  ")
        return isUSB ? [name, "  libcamera has it too; it is on USB, so V4L2 is enough"] : [name, "    \(line)"]
    }

    private var line: String {
        "source: { command: { run: [caprig-libcamera, --camera, \(id.quotedForYAML)], times: fd3, controls: stdin } }"
    }

    /// libcamera ends the ids of such cameras with maker and product.
    private var isUSB: Bool { id.firstMatch(of: /-[0-9a-f]{4}:[0-9a-f]{4}$/) != nil }

    private enum CodingKeys: CodingKey {
        case id, model, configurationLines
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(model, forKey: .model)
        try container.encode(configurationLines, forKey: .configurationLines)
    }

    /// - Returns: nil if the line is none of the program's.
    init?(_ line: Substring) {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable() }
        guard words.count == 2, !words[0].isEmpty else { return nil }
        (id, model) = (words[0], ["", "-"].contains(words[1]) ? nil : words[1])
    }
}
