/// Reads the cells of a code of known cell size; the caller has checked that the grid lies within the buffer.
struct CellReader {
    let cellSize: Int
    let stride: Int

    /// Below two pixels a cell has no centre of its own.
    static let smallestCell = 2

    /// Least difference of white and black, in luma steps, at which cells can be told apart after JPEG.
    private static let leastContrast = 32

    func read(_ luma: Span<UInt8>) throws(TimeCodeError) -> TimeCode {
        let threshold = try threshold(luma)
        var words: [UInt16] = []
        for row in 0..<8 {
            words.append(try word(luma, row: row, threshold))
        }
        return try TimeCode(words: words)
    }

    /// Half way between the known black and white cells, with the distance from it that a cell needs to count.
    private struct Threshold {
        let middle: Int
        let doubt: Int
    }

    private func threshold(_ luma: Span<UInt8>) throws(TimeCodeError) -> Threshold {
        let cells = (0..<16).map { mean(luma, row: 1, column: 1 + $0) }
        let isWhite = (0..<16).map { TimeCodeLayout.syncWord >> UInt16(15 - $0) & 1 == 1 }
        let white = zip(cells, isWhite).filter { $0.1 }.reduce(0) { $0 + $1.0 } / 8
        let black = zip(cells, isWhite).filter { !$0.1 }.reduce(0) { $0 + $1.0 } / 8
        guard white - black >= Self.leastContrast else { throw .noCode }
        let middle = (white + black) / 2
        guard zip(cells, isWhite).allSatisfy({ ($0 > middle) == $1 }) else { throw .noCode }
        return Threshold(middle: middle, doubt: (white - black) / 8)
    }

    private func word(_ luma: Span<UInt8>, row: Int, _ threshold: Threshold) throws(TimeCodeError) -> UInt16 {
        var word: UInt16 = 0
        for column in 0..<16 {
            let distance = mean(luma, row: 2 + row, column: 1 + column) - threshold.middle
            guard abs(distance) > threshold.doubt else { throw .unreadableCell(row: row, column: column) }
            word = word << 1 | (distance > 0 ? 1 : 0)
        }
        return word
    }

    /// The average of the cell's central half, which ringing from neighbouring cells hardly reaches.
    private func mean(_ luma: Span<UInt8>, row: Int, column: Int) -> Int {
        let inset = cellSize / 4
        let side = cellSize - 2 * inset
        // Eight samples a side are plenty; large cells are read in steps.
        let step = max(1, side / 8)
        var (sum, count) = (0, 0)
        for y in Swift.stride(from: inset, to: inset + side, by: step) {
            let line = (row * cellSize + y) * stride + column * cellSize
            for x in Swift.stride(from: inset, to: inset + side, by: step) {
                sum += Int(luma[line + x])
                count += 1
            }
        }
        return sum / count
    }
}
