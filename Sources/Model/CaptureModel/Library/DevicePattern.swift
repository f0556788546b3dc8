/// A device name or pattern: `node1/cam1`, `node1/*`, `*/top?`. Without a slash, it is the device's name on any node.
///
/// `*` matches any number of characters, `?` matches one. Neither matches the slash.
public struct DevicePattern: Hashable, Sendable, CustomStringConvertible {
    private let node: [UInt8]
    private let device: [UInt8]

    /// - Returns: nil if the text has characters that no name has, or more than one slash.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
        guard (1...2).contains(parts.count), parts.allSatisfy({ (1...64).contains($0.count) }),
            parts.joined().allSatisfy(Self.isLegal)
        else { return nil }
        node = parts.count == 2 ? parts[0] : [UInt8(ascii: "*")]
        device = parts[parts.count - 1]
    }

    public func matches(_ id: DeviceID) -> Bool {
        Self.matches(node[...], Array(id.node.rawValue.utf8)[...])
            && Self.matches(device[...], Array(id.device.rawValue.utf8)[...])
    }

    public var description: String { String(decoding: node + [UInt8(ascii: "/")] + device, as: UTF8.self) }

    private static func isLegal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"), UInt8(ascii: "*"), UInt8(ascii: "?"):
            true
        default: false
        }
    }

    /// Backtracks to the last `*` only, so that no pattern needs more than length × length steps.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
        var (place, at) = (pattern.startIndex, text.startIndex)
        var retry: (place: Int, at: Int)?
        while at < text.endIndex {
            if place < pattern.endIndex, pattern[place] == UInt8(ascii: "*") {
                place += 1
                retry = (place, at)
            } else if place < pattern.endIndex, pattern[place] == UInt8(ascii: "?") || pattern[place] == text[at] {
                place += 1
                at += 1
            } else if let last = retry {
                (place, at) = (last.place, last.at + 1)
                retry = (place, at)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
