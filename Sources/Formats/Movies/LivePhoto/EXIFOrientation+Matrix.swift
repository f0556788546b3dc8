internal import ImageMetadata

extension EXIFOrientation {
    /// The matrix of a track header that shows stored pixels as this orientation says, the picture's corner brought back
    /// to the origin; empty where nothing is turned (QuickTime File Format, "Matrices").
    func displayMatrix(width: Int, height: Int) -> [Int32] {
        let (right, down) = (Int32(clamping: width) << 16, Int32(clamping: height) << 16)
        return switch self {
        case .up: []
        case .upMirrored: matrix(-1, 0, 0, 1, right, 0)
        case .down: matrix(-1, 0, 0, -1, right, down)
        case .downMirrored: matrix(1, 0, 0, -1, 0, down)
        case .leftMirrored: matrix(0, 1, 1, 0, 0, 0)
        case .right: matrix(0, 1, -1, 0, down, 0)
        case .rightMirrored: matrix(0, -1, -1, 0, down, right)
        case .left: matrix(0, -1, 1, 0, 0, right)
        }
    }

    /// x' = ax + cy + tx, y' = bx + dy + ty; the third column is 0, 0, 1 in 2.30 fixed point.
    private func matrix(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32, _ tx: Int32, _ ty: Int32) -> [Int32] {
        [a << 16, b << 16, 0, c << 16, d << 16, 0, tx, ty, 1 << 30]
    }
}
