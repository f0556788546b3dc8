extension TimeCode {
    /// Reads the code from the luma of an image as drawn, or scaled down to a half, a quarter or an eighth.
    ///
    /// A damaged code is an error, never a wrong value, except by the odds of a 16-bit CRC: damage to up to three cells, or
    /// within sixteen neighbouring cells, is always found; of larger damage one case in 65536 passes.
    ///
    /// - Parameters:
    ///   - luma: 8-bit luma, top row first.
    ///   - width: Pixels.
    ///   - height: Pixels.
    ///   - stride: Bytes from one row to the next.
    /// - Throws: ``TimeCodeError``.
    public static func decode(
        luma: Span<UInt8>, width: Int, height: Int, stride: Int
    ) throws(TimeCodeError) -> TimeCode {
        guard (1...TimeCodeLayout.largestSide).contains(width), (1...TimeCodeLayout.largestSide).contains(height)
        else { throw .imageTooSmall(width: width, height: height) }
        try TimeCodeLayout.checkBuffer(count: luma.count, width: width, height: height, stride: stride)
        let candidates = cellSizes(width: width, height: height)
        guard !candidates.isEmpty else { throw .imageTooSmall(width: width, height: height) }
        var firstProblem = TimeCodeError.noCode
        for cellSize in candidates {
            do throws(TimeCodeError) {
                return try CellReader(cellSize: cellSize, stride: stride).read(luma)
            } catch {
                if firstProblem == .noCode { firstProblem = error }
            }
        }
        throw firstProblem
    }

    /// Cell sizes that the rule gives for this image, taken as drawn or as the rounded-up 1/2, 1/4 or 1/8 of a larger
    /// one; most likely first.
    static func cellSizes(width: Int, height: Int) -> [Int] {
        var sizes: [Int] = []
        for scale in [1, 2, 4, 8] {
            for (lostX, lostY) in [(0, 0), (scale - 1, 0), (0, scale - 1), (scale - 1, scale - 1)] {
                let drawn = TimeCodeLayout.cellSize(width: width * scale - lostX, height: height * scale - lostY)
                let size = drawn / scale
                guard drawn.isMultiple(of: scale), size >= CellReader.smallestCell, !sizes.contains(size),
                    size * TimeCodeLayout.columns <= width, size * TimeCodeLayout.rows <= height
                else { continue }
                sizes.append(size)
            }
        }
        return sizes
    }
}
