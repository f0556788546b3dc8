public import CameraKit
import CaptureModel
import PosixSupport
import RigConfiguration

/// Cameras of GigE Vision and USB3 Vision, which Aravis drives in a helper process each. They are discovered without opening them.
public struct AravisBackend: CaptureBackend {
    public let name = AravisCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = AravisCameraConfiguration.self

    private let helper: String

    public init() { helper = AravisCameraConfiguration.defaultHelper }

    /// - Parameter helper: The program that lists them.
    init(helper: String) { self.helper = helper }

    /// - Returns: nil without the helper program.
    public func discover() async throws(CameraError) -> Discovery? {
        try await Discovery(
            listedBy: helper,
            absence:
                "Aravis has found no GigE Vision or USB3 Vision camera. A GigE camera must have an address of this network."
        ) { AravisListing($0) }
    }
}

/// A camera that Aravis has found.
struct AravisListing: DeviceListing, Hashable {
    var vendor: String
    var model: String
    var serial: String
    /// `GigEVision` or `USB3Vision`.
    var transport: String
    /// The IP address, or the place on USB.
    var address: String

    var mediaType: MediaType { .video }
    var title: String { "\(vendor) \(model)" }

    var stableLine: String? {
        serial.isEmpty ? nil : "source: { aravis: { serial: \(serial.quotedForYAML) } }"
    }

    var paragraph: [String] {
        ["\(title)  \(transport)  \(address)"]
            + (stableLine.map { ["    \($0)"] } ?? ["  it tells no serial number; name it by `address`"])
    }

    /// Reads a line of the helper: serial number, vendor, model, transport and address, with tabs between.
    init?(_ line: Substring) {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable() }
        guard words.count == 5, !words[4].isEmpty else { return nil }
        (serial, vendor, model, transport, address) = (words[0], words[1], words[2], words[3], words[4])
    }
}
