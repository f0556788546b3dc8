/// Width and height of a picture in pixels, as stored, before its orientation is applied.
public struct PixelSize: Hashable, Codable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    private enum CodingKeys: String, CodingKey {
        case width = "width"
        case height = "height"
    }

    /// The sides that a picture may have, in pixels.
    public static let sides = 1...65_535

    /// Parses a size such as `1280x720`; nil for any other text, and for sides outside of 1 to 65 535.
    public init?(_ text: some StringProtocol) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1], Self.sides.contains(width),
            Self.sides.contains(height)
        else { return nil }
        self.init(width: width, height: height)
    }

    /// The number of pixels.
    public var pixelCount: Int { width.multipliedReportingOverflow(by: height).partialValue }

    public var description: String { "\(width)x\(height)" }
}

extension PixelSize: ValidatedDocument {
    public func validate() throws(InvalidDocument) {
        try check(width, "width", in: Self.sides)
        try check(height, "height", in: Self.sides)
    }
}
