public import CameraKit
import CaptureModel
import ChildPrograms
import PosixSupport

/// Cameras that libgphoto2 drives. Those on USB are discovered, without opening them.
public struct GPhotoBackend: CaptureBackend {
    public let name = GPhotoCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = GPhotoCameraConfiguration.self

    private let helper: String

    public init() { helper = "caprig-gphoto" }

    /// - Parameter helper: The program that lists them.
    init(helper: String) { self.helper = helper }

    /// - Returns: nil without the helper program: most nodes have no such camera.
    public func discover() async throws(CameraError) -> Discovery? {
        guard (try? ProgramPath.find(helper)) != nil else { return nil }
        let helper = helper
        do throws(PosixError) {
            let listings = try await BlockingCall.run(thread: "list-devices") { (try? GPhotoListing.all(helper)) ?? [] }
            return Discovery(
                listings,
                absence:
                    "libgphoto2 has found no camera on USB; turn it on. One in the network is named by its address.")
        } catch {
            throw CameraError(.failed, device: "this machine", operation: "list cameras", reason: error.description)
        }
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

    /// The longest time that the helper may take.
    private static let limit = Duration.seconds(20)

    /// Blocks until the helper has ended, for a limited time.
    static func all(_ helper: String) throws(PosixError) -> [GPhotoListing] {
        let program = try ChildProgram([helper, "--list"], outputs: [.standardOutput])
        let never = try EventFlag()
        var bytes: [UInt8] = []
        while bytes.count < 1 << 16,
            try !program.wait(for: [.standardOutput], or: never, within: limit).isEmpty,
            try program.read(.standardOutput, to: &bytes, limit: 1 << 16) != .end
        {}
        _ = program.end(within: .zero)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap(GPhotoListing.init)
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
