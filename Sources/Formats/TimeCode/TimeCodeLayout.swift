/// The positions of a time code's cells in an image of a given size.
///
/// A grid of 18 × 11 square cells in the top left corner: a black margin one cell wide on all sides, one sync row of 16
/// cells, and eight data rows of 16 cells. `docs/timecode.md` is the specification.
public struct TimeCodeLayout: Hashable, Sendable {
    /// Image width in pixels.
    public let width: Int
    /// Image height in pixels.
    public let height: Int
    /// Side of a cell in pixels: 8, or a multiple of 16 in images of at least 1280 × 720.
    public let cellSize: Int

    /// Cells in a row, including the margin.
    public static let columns = 18
    /// Rows of cells, including the margin and the sync row.
    public static let rows = 11
    /// Width in pixels of the narrowest image that can have a code.
    public static let minimumWidth = columns * smallestCell
    /// Height in pixels of the lowest image that can have a code.
    public static let minimumHeight = rows * smallestCell
    /// The sync row from left to right, most significant bit first, white = 1: eight white and eight black cells.
    public static let syncWord: UInt16 = 0xB2C5
    /// Luma of a black cell.
    public static let black: UInt8 = 16
    /// Luma of a white cell.
    public static let white: UInt8 = 235

    static let smallestCell = 8
    static let largestSide = 65535

    /// Lays out the code for an image of this size in pixels.
    ///
    /// - Throws: ``TimeCodeError/imageTooSmall(width:height:)``, also for sides above 65535.
    public init(width: Int, height: Int) throws(TimeCodeError) {
        guard (Self.minimumWidth...Self.largestSide).contains(width),
            (Self.minimumHeight...Self.largestSide).contains(height)
        else { throw .imageTooSmall(width: width, height: height) }
        self.width = width
        self.height = height
        cellSize = Self.cellSize(width: width, height: height)
    }

    /// Pixels from the image's left edge that the code covers. Nothing else may be drawn there, and chroma should be neutral (128).
    public var codeWidth: Int { Self.columns * cellSize }

    /// Pixels from the image's top edge that the code covers.
    public var codeHeight: Int { Self.rows * cellSize }

    static func cellSize(width: Int, height: Int) -> Int {
        let steps = min(width / 1280, height / 720)
        return steps == 0 ? smallestCell : 16 * steps
    }
}

extension TimeCodeLayout {
    /// Draws a code into a luma plane. Pixels outside ``codeWidth`` × ``codeHeight`` are not changed.
    ///
    /// - Parameters:
    ///   - code: The code to draw.
    ///   - luma: 8-bit luma, top row first.
    ///   - stride: Bytes from one row to the next, at least ``width``.
    /// - Throws: ``TimeCodeError/bufferTooSmall(needed:given:)``.
    public func draw(_ code: TimeCode, into luma: inout MutableSpan<UInt8>, stride: Int) throws(TimeCodeError) {
        try Self.checkBuffer(count: luma.count, width: width, height: height, stride: stride)
        for (row, runs) in cellRuns(of: code).enumerated() {
            for line in row * cellSize..<(row + 1) * cellSize {
                fill(runs, at: line * stride, in: &luma)
            }
        }
    }

    /// Draws a code into an array of luma rows; see ``draw(_:into:stride:)-(_,MutableSpan<UInt8>,_)``.
    public func draw(_ code: TimeCode, into luma: inout [UInt8], stride: Int) throws(TimeCodeError) {
        var span = luma.mutableSpan
        try draw(code, into: &span, stride: stride)
    }

    static func checkBuffer(count: Int, width: Int, height: Int, stride: Int) throws(TimeCodeError) {
        let (body, overflowOfProduct) = stride.multipliedReportingOverflow(by: height - 1)
        let (needed, overflowOfSum) = body.addingReportingOverflow(width)
        guard stride >= width, !overflowOfProduct, !overflowOfSum, count >= needed else {
            throw .bufferTooSmall(needed: overflowOfProduct || overflowOfSum ? .max : needed, given: count)
        }
    }

    /// Adjacent cells of one color, so that a pixel row needs few fills.
    private struct Run {
        var cells: Int
        let luma: UInt8
    }

    private func cellRuns(of code: TimeCode) -> [[Run]] {
        let margin = [Run(cells: Self.columns, luma: Self.black)]
        return [margin] + ([Self.syncWord] + code.words).map(Self.runs) + [margin]
    }

    private static func runs(of word: UInt16) -> [Run] {
        var runs = [Run(cells: 1, luma: black)]
        for bit in (0..<16).reversed() {
            append(cell: word >> UInt16(bit) & 1 == 1 ? white : black, to: &runs)
        }
        append(cell: black, to: &runs)
        return runs
    }

    private static func append(cell: UInt8, to runs: inout [Run]) {
        if runs[runs.count - 1].luma == cell {
            runs[runs.count - 1].cells += 1
        } else {
            runs.append(Run(cells: 1, luma: cell))
        }
    }

    private func fill(_ runs: [Run], at start: Int, in luma: inout MutableSpan<UInt8>) {
        var x = start
        for run in runs {
            let end = x + run.cells * cellSize
            var target = luma._mutatingExtracting(x..<end)
            target.update(repeating: run.luma)
            x = end
        }
    }
}
