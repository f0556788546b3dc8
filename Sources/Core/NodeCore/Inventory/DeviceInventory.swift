public import CameraKit
import CaptureModel
import Foundation

/// The cameras and microphones of a machine as `capagentd --list-devices` prints them, with the lines that configure
/// them.
public struct DeviceInventory: Sendable {
    /// The result of each backend that supports discovery.
    public var discoveries: [Discovery]

    public init(_ discoveries: [Discovery]) {
        self.discoveries = discoveries
    }

    /// A listing for people: a paragraph per device, with lines that can be pasted as they are.
    public var table: String {
        discoveries.flatMap { discovery in
            discovery.listings.isEmpty ? [[discovery.absence]] : discovery.listings.map(\.paragraph)
        }
        .map { lines in lines.map { Self.printable($0) + "\n" }.joined() }
        .joined(separator: "\n")
    }

    /// Returns a listing for programs: `cameras[]` and `microphones[]`, each with the members that its backend
    /// provides.
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

    /// Replaces control characters. Text from a device may contain line feeds and escape sequences, which must not act
    /// on a terminal.
    private static func printable(_ text: String) -> String {
        text.printable(replacement: " ")
    }
}
