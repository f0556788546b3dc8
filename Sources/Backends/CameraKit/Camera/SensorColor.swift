import DNG

/// What a camera tells of the samples of one frame of its sensor's mosaic. What is nil is unknown.
public struct SensorColor: Hashable, Sendable {
    /// White balance: the factors of red and of blue, relative to green, that make a neutral surface gray.
    public struct Gains: Hashable, Sendable {
        public let red: Double
        public let blue: Double

        public init(red: Double, blue: Double) {
            self.red = red
            self.blue = blue
        }
    }

    /// The sample for no light.
    public let blackLevel: UInt16?
    public let gains: Gains?
    /// The matrix that converts balanced colors to linear sRGB, row by row: 9 numbers, and it can be inverted.
    public let correction: [Double]?

    private static let factors = 0.01...100.0
    private static let elements = -16.0...16.0
    private static let leastDeterminant = 0.01
    /// What a configuration may state as a color matrix.
    private static let matrixElements = -100.0...100.0

    /// - Returns: nil if a factor is not within 0.01 to 100, or the matrix does not have 9 numbers of -16 to 16 or cannot be inverted.
    public init?(blackLevel: UInt16? = nil, gains: Gains? = nil, correction: [Double]? = nil) {
        if let gains {
            guard Self.factors.contains(gains.red), Self.factors.contains(gains.blue) else { return nil }
        }
        if let correction {
            guard correction.count == 9, correction.allSatisfy(Self.elements.contains),
                abs(Self.determinant(correction)) >= Self.leastDeterminant
            else { return nil }
        }
        self.blackLevel = blackLevel
        self.gains = gains
        self.correction = correction
    }

    /// The camera's red, green and blue of a neutral surface, as in `RawSettings`.
    public var asShotNeutral: [Double]? { gains.map { [1 / $0.red, 1, 1 / $0.blue] } }

    /// The matrix that converts XYZ to the camera's linear red, green and blue, as in `RawSettings`: the inverse of balance, correction and
    /// the conversion of sRGB to XYZ. nil if gains or correction are unknown, or if it is beyond what a configuration may state.
    public var colorMatrix: [Double]? {
        guard let gains, let correction else { return nil }
        let inverse = Self.inverse(correction)
        let balance = [1 / gains.red, 1, 1 / gains.blue]
        let matrix = (0..<9).map { place in
            let (row, column) = (place / 3, place % 3)
            let products = (0..<3).map { inverse[3 * row + $0] * RawColor.sRGB[3 * $0 + column] }
            return balance[row] * products.reduce(0, +)
        }
        return matrix.allSatisfy(Self.matrixElements.contains) ? matrix : nil
    }

    /// The determinant of the matrix without a row and a column, with its sign.
    private static func cofactor(_ matrix: [Double], row: Int, column: Int) -> Double {
        let (above, below) = ((row + 1) % 3, (row + 2) % 3)
        let (left, right) = ((column + 1) % 3, (column + 2) % 3)
        return matrix[3 * above + left] * matrix[3 * below + right]
            - matrix[3 * above + right] * matrix[3 * below + left]
    }

    private static func determinant(_ matrix: [Double]) -> Double {
        (0..<3).map { matrix[$0] * cofactor(matrix, row: 0, column: $0) }.reduce(0, +)
    }

    private static func inverse(_ matrix: [Double]) -> [Double] {
        let determinant = determinant(matrix)
        return (0..<9).map { cofactor(matrix, row: $0 % 3, column: $0 / 3) / determinant }
    }
}
