/// Why no time code was drawn into or read from an image.
public enum TimeCodeError: Error, Equatable, Sendable {
    /// The image is smaller than the smallest layout.
    case imageTooSmall(width: Int, height: Int)
    /// The buffer has fewer bytes than rows and stride require.
    case bufferTooSmall(needed: Int, given: Int)
    /// The sync row was not found: no time code was drawn, or the image is cropped, shifted or too blurred.
    case noCode
    /// A data cell is neither clearly black nor clearly white. Row and column count data cells from 0.
    case unreadableCell(row: Int, column: Int)
    /// The cells were read, but by the checksum at least one is wrong.
    case crcMismatch(expected: UInt16, found: UInt16)
}

extension TimeCodeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .imageTooSmall(let width, let height):
            "An image of \(width)x\(height) pixels is too small for a time code; drawing needs "
                + "\(TimeCodeLayout.minimumWidth)x\(TimeCodeLayout.minimumHeight)."
        case .bufferTooSmall(let needed, let given):
            "The luma buffer holds \(given) bytes; its size and stride need \(needed)."
        case .noCode:
            "The image shows no time code in its top left corner."
        case .unreadableCell(let row, let column):
            "The time code's cell in row \(row), column \(column) is neither black nor white."
        case .crcMismatch(let expected, let found):
            "The time code is damaged: its checksum reads \(found), computed is \(expected)."
        }
    }
}
