import CameraKit
import CaptureModel
import PosixSupport
import RigConfiguration

/// A camera that libcamera has found, as a line of `caprig-libcamera --list` has it.
struct LibcameraListing: DeviceListing, Hashable {
    var id: String
    /// nil if libcamera does not know it.
    var model: String?
    /// The largest samples of its sensor; nil if it has no mosaic, or none that can be read.
    var samples: SensorSamples?
    var configurationLines: [String] { isUSB ? [] : [line] + (samples == nil ? [] : [rawLine]) }

    var mediaType: MediaType { .video }
    var title: String { model ?? id }
    /// nil for a camera on USB, which V4L2 lists too.
    var stableLine: String? { isUSB ? nil : line }

    var paragraph: [String] {
        let name = [id, model].compactMap(\.self).joined(separator: "  ")
        if isUSB { return [name, "  libcamera has it too; it is on USB, so V4L2 is enough"] }
        let raw = samples.map {
            ["  for DNG, samples of \($0.width)x\($0.height) and no live pictures:", "    \(rawLine)"]
        }
        return [name, "    \(line)"] + (raw ?? [])
    }

    private var line: String { source() }
    private var rawLine: String { source(option: ", --raw", key: "pictures: raw, ") }

    private func source(option: String = "", key: String = "") -> String {
        let run = "[caprig-libcamera, --camera, \(id.quotedForYAML)\(option)]"
        return "source: { command: { run: \(run), \(key)times: fd3, controls: stdin } }"
    }

    /// libcamera ends the ids of such cameras with maker and product.
    private var isUSB: Bool { id.firstMatch(of: /-[0-9a-f]{4}:[0-9a-f]{4}$/) != nil }

    private enum CodingKeys: CodingKey {
        case id, model, samples, configurationLines
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(model, forKey: .model)
        try container.encodeIfPresent(samples, forKey: .samples)
        try container.encode(configurationLines, forKey: .configurationLines)
    }

    /// Reads id, model and, if there are samples, their format and size, with tabs between.
    /// - Returns: nil if the line is none of the program's.
    init?(_ line: Substring) {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable() }
        guard (2...3).contains(words.count), !words[0].isEmpty else { return nil }
        (id, model) = (words[0], ["", "-"].contains(words[1]) ? nil : words[1])
        guard words.count == 3 else { return }
        guard let told = SensorSamples(words[2]) else { return nil }
        samples = told
    }
}

/// The samples of a camera's sensor, as a raw stream delivers them.
struct SensorSamples: Hashable, Encodable {
    var pixelFormat: PixelFormat
    var width: Int
    var height: Int

    /// Reads a format and a size, such as `pRAA 4608x2592`.
    fileprivate init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let format = PixelFormat(rawValue: String(words[0])), format.family.isMosaic else {
            return nil
        }
        let sides = words[1].split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            format.byteCount(width: width, height: height) != nil
        else { return nil }
        (pixelFormat, self.width, self.height) = (format, width, height)
    }
}
