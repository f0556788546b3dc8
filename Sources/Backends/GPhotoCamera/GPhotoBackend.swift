public import CameraKit
import CaptureModel
import PosixSupport

/// Cameras that libgphoto2 drives. Those on USB are discovered, without opening them.
public struct GPhotoBackend: CaptureBackend {
    public let name = GPhotoCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = GPhotoCameraConfiguration.self

    private let helper: String

    public init() { helper = "caprig-gphoto" }

    /// - Parameter helper: The program that lists them.
    init(helper: String) { self.helper = helper }

    /// - Returns: nil without the helper program.
    public func discover() async throws(CameraError) -> Discovery? {
        try await Discovery(
            listedBy: helper,
            absence: "libgphoto2 has found no camera on USB; turn it on. One in the network is named by its address."
        ) { GPhotoListing($0) }
    }
}

/// A camera that libgphoto2 has found.
struct GPhotoListing: DeviceListing, Hashable {
    var port: String
    var model: String
    /// What the kernel has read of it; nil if it has none.
    var serial: String?

    var mediaType: MediaType { .video }
    var title: String { model }
    /// nil: the size of its pictures is for a person to say.
    var stableLine: String? { nil }

    var paragraph: [String] {
        var lines = ["\(port)  \(model)"]
        if let serial {
            lines.append("    source: { gphoto: { serial: \"\(serial)\", width: WIDTH, height: HEIGHT } }")
        }
        lines.append(
            serial == nil
                ? "  no serial number on USB; `gphoto2 --port \(port) --get-config serialnumber` may have one"
                : "  WIDTH and HEIGHT are those of its JPEG images, as it is set")
        return lines
    }

    init?(_ line: Substring) {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable() }
        guard words.count == 3, !words[0].isEmpty else { return nil }
        (port, model) = (words[0], words[1])
        serial = words[2].isEmpty ? nil : words[2]
    }

    init(port: String, model: String, serial: String?) {
        (self.port, self.model, self.serial) = (port, model, serial)
    }
}
