public import CaptureModel

/// A picture of a screen, as far as its timing is concerned.
public struct ScreenPicture: Hashable, Sendable {
    /// The parts of a picture whose mean luma counts: so many rows of so many cells.
    public static let rows = 12
    public static let columns = 16

    /// The mid-exposure of the middle row, as the camera's node states it.
    public var midExposure: RigTime
    /// The largest error of `midExposure` that comes from the clocks, not from the camera's stamp.
    public var clockBound: Duration
    /// The exposure time that the camera reports; nil if it reports none.
    public var exposure: Duration?
    /// The mean luma of each cell, row by row from the top left; always ``rows`` × ``columns``.
    public let cells: [UInt8]

    /// - Returns: nil if there are not ``rows`` × ``columns`` cells.
    public init?(midExposure: RigTime, clockBound: Duration, exposure: Duration?, cells: [UInt8]) {
        guard cells.count == Self.rows * Self.columns else { return nil }
        self.midExposure = midExposure
        self.clockBound = clockBound
        self.exposure = exposure
        self.cells = cells
    }

    /// Returns the mean luma of each cell of a picture.
    /// - Parameter luma: `width` × `height` samples, rows tightly packed.
    /// - Returns: nil if the picture has fewer pixels than cells, or fewer samples than pixels.
    public static func cells(of luma: Span<UInt8>, width: Int, height: Int) -> [UInt8]? {
        guard width >= columns, height >= rows, luma.count >= width * height else { return nil }
        var cells: [UInt8] = []
        cells.reserveCapacity(rows * columns)
        for row in 0..<rows {
            let lines = row * height / rows..<(row + 1) * height / rows
            for column in 0..<columns {
                let places = column * width / columns..<(column + 1) * width / columns
                var sum = 0
                for line in lines { for place in places { sum += Int(luma[line * width + place]) } }
                cells.append(UInt8(sum / (lines.count * places.count)))
            }
        }
        return cells
    }
}
