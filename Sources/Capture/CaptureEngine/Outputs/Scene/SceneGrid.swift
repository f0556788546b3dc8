import TurboJPEG

/// The mean luma of a picture's twelfths: four columns, three rows. So coarse that a thing that moves within the picture
/// changes little of it, and a lamp, another view or a covered lens changes much.
struct SceneGrid: Hashable, Sendable {
    static let columns = 4
    static let rows = 3

    /// 0 black to 255 white, row by row.
    private(set) var cells: [Double]

    init(cells: [Double]) {
        self.cells = cells
    }

    /// - Returns: nil for an image without pixels.
    init?(_ image: borrowing LumaImage) {
        guard image.width > 0, image.height > 0 else { return nil }
        cells = []
        for row in 0..<Self.rows {
            let lines = Self.part(row, of: Self.rows, image.height)
            for column in 0..<Self.columns {
                cells.append(Self.mean(image, lines, Self.part(column, of: Self.columns, image.width)))
            }
        }
    }

    var mean: Double { cells.reduce(0, +) / Double(max(cells.count, 1)) }

    /// How far two grids are apart: the mean of what their cells differ by.
    func difference(from other: SceneGrid) -> Double {
        zip(cells, other.cells).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(max(cells.count, 1))
    }

    /// Moves this share of the way to another grid.
    mutating func approach(_ other: SceneGrid, by share: Double) {
        for (index, cell) in zip(cells.indices, other.cells) { cells[index] += (cell - cells[index]) * share }
    }

    /// At least one of the pixels of a side, also where it has fewer than there are parts.
    private static func part(_ index: Int, of count: Int, _ length: Int) -> Range<Int> {
        let start = min(length * index / count, length - 1)
        return start..<max(length * (index + 1) / count, start + 1)
    }

    private static func mean(_ image: borrowing LumaImage, _ lines: Range<Int>, _ columns: Range<Int>) -> Double {
        var sum = 0
        for line in lines {
            let start = line * image.width
            for byte in image.bytes[start + columns.lowerBound..<start + columns.upperBound] { sum += Int(byte) }
        }
        return Double(sum) / Double(lines.count * columns.count)
    }
}
