public import CameraKit
import CaptureModel
import Foundation

/// The cameras and microphones of a machine as `capagentd --list-devices` prints them, with the lines that name them in a
/// configuration.
public struct DeviceInventory: Sendable {
    /// What each backend has found that looks for devices.
    public var discoveries: [Discovery]

    public init(_ discoveries: [Discovery]) {
        self.discoveries = discoveries
    }

    /// For people: a paragraph a device, and the lines to paste as they are.
    public var table: String {
        discoveries.flatMap { discovery in
            discovery.listings.isEmpty ? [[discovery.absence]] : discovery.listings.map(\.paragraph)
        }
        .map { lines in lines.map { Self.printable($0) + "\n" }.joined() }
        .joined(separator: "\n")
    }

    /// For programs: `cameras[]` and `microphones[]`, each with the members that its backend gives it.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let document = Document(cameras: listings(.video), microphones: listings(.audio))
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private func listings(_ mediaType: MediaType) -> [Listed] {
        discoveries.flatMap(\.listings).filter { $0.mediaType == mediaType }.map { Listed(listing: $0) }
    }

    private struct Document: Encodable {
        var cameras: [Listed]
        var microphones: [Listed]
    }

    private struct Listed: Encodable {
        var listing: any DeviceListing

        func encode(to encoder: any Encoder) throws {
            try listing.encode(to: encoder)
        }
    }

    /// A device's own words may hold line feeds and escape sequences; on a terminal neither may act.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}
