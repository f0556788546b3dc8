public import PosixSupport
import TurboJPEG

/// The mean luma of the parts of a picture, by default of its twelfths: four columns, three rows. That grid is so coarse that
/// an object moving within the picture changes it little, and a lamp, another view or a covered lens changes it much.
struct SceneGrid: Hashable, Sendable {
    static let columns = 4
    static let rows = 3

    /// 0 black to 255 white, row by row.
    private(set) var cells: [Double]

    init(cells: [Double]) {
        self.cells = cells
    }

    /// - Returns: nil for an image without pixels.
    init?(_ image: borrowing LumaImage, columns: Int = Self.columns, rows: Int = Self.rows) {
        guard image.width > 0, image.height > 0 else { return nil }
        cells = []
        for row in 0..<rows {
            let lines = Self.part(row, of: rows, image.height)
            for column in 0..<columns {
                cells.append(Self.mean(image, lines, Self.part(column, of: columns, image.width)))
            }
        }
    }

    var mean: Double { cells.reduce(0, +) / Double(max(cells.count, 1)) }

    /// Returns the mean difference of the cells of two grids.
    func difference(from other: SceneGrid) -> Double {
        zip(cells, other.cells).reduce(0) { $0 + abs($1.0 - $1.1) } / Double(max(cells.count, 1))
    }

    /// Moves the grid by this share toward another grid.
    mutating func approach(_ other: SceneGrid, by share: Double) {
        for (index, cell) in zip(cells.indices, other.cells) { cells[index] += (cell - cells[index]) * share }
    }

    /// Returns one part of a side; at least one pixel, even if the side has fewer pixels than parts.
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

/// Measures the scenes of sessions, one frame after the other, on a thread for which no frame waits.
///
/// Every session has at most one frame here to watch its scene, and one to watch a change of its settings, so the waiting
/// work is bounded by the number of sessions.
public actor SceneMeter {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    nonisolated let executor: ThreadExecutor
    private var decoder: JPEGDecoder?
    private var image = LumaImage()

    /// - Parameter executor: The thread for measuring. Sessions may share it.
    public init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// - Returns: nil if the picture cannot be decoded.
    func scene(
        of jpeg: [UInt8], columns: Int = SceneGrid.columns, rows: Int = SceneGrid.rows
    ) -> SceneGrid? {
        do {
            let decoder = try decoder ?? JPEGDecoder()
            self.decoder = decoder
            try decoder.decodeLuma(jpeg.span, scale: .eighth, into: &image)
            return SceneGrid(image, columns: columns, rows: rows)
        } catch {
            return nil
        }
    }
}
