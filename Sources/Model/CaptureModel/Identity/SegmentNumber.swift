/// Which file of a recording, from 1 on, in the order in which they were recorded.
public struct SegmentNumber: Hashable, Comparable, Sendable {
    public let value: Int

    /// The most files a recording has: two for each camera stand in the take's manifest.
    public static let limit = 99

    /// The first file; the only one where nothing else was asked for.
    public static let first = SegmentNumber(checked: 1)

    /// - Returns: nil outside of 1 to ``limit``.
    public init?(_ value: Int) {
        guard (1...Self.limit).contains(value) else { return nil }
        self.value = value
    }

    private init(checked value: Int) {
        self.value = value
    }

    /// The file after it; nil after the last one there may be.
    public var next: SegmentNumber? { SegmentNumber(value + 1) }

    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }

    /// `.02`: what names of a further file have more than those of the first, whose names are without a number.
    var suffix: String {
        guard self > .first else { return "" }
        return value < 10 ? ".0\(value)" : ".\(value)"
    }

    /// - Parameter suffix: That of a further file, word for word.
    init?(suffix: Substring) {
        guard let number = Int(suffix.dropFirst()).flatMap({ SegmentNumber($0) }), number.suffix == suffix else {
            return nil
        }
        self = number
    }
}
