internal import Foundation

/// Puts lines together from pieces of a stream. A line longer than 64 KiB is dropped, so that a child cannot fill
/// memory.
struct LineSplitter {
    private var rest = Data()
    private static let longest = 64 << 10

    /// The lines that `data` ends; an empty piece ends the last line.
    mutating func take(_ data: Data) -> [String] {
        rest += data
        var lines: [String] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: rest[..<end], as: UTF8.self))
            rest = Data(rest[(end + 1)...])
        }
        if data.isEmpty, !rest.isEmpty {
            lines.append(String(decoding: rest, as: UTF8.self))
            rest = Data()
        }
        if rest.count > Self.longest { rest = Data() }
        return lines
    }
}
