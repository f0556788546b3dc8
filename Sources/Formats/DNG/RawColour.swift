/// What a camera's samples mean: where black and white lie, and which colours they are.
public struct RawColour: Hashable, Sendable {
    /// The matrix that takes XYZ to the camera's linear red, green and blue, row by row (ColorMatrix1), for daylight of
    /// 6500 K.
    public var colorMatrix: [Double]
    /// What the camera says of a neutral surface in the light of the picture, red, green and blue (AsShotNeutral).
    public var asShotNeutral: [Double]
    /// The sample of no light.
    public var blackLevel: UInt16
    /// The sample at which the sensor saturates; in a file no more than the samples' bits allow.
    public var whiteLevel: UInt16

    /// XYZ to linear sRGB (IEC 61966-2-1): for a camera of which nothing is known.
    public static let sRGB = [3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570]

    /// - Parameters:
    ///   - colorMatrix: Nine numbers; others than nine are replaced by ``sRGB``.
    ///   - asShotNeutral: Three positive numbers; else each is 1.
    public init(
        colorMatrix: [Double] = sRGB, asShotNeutral: [Double] = [1, 1, 1], blackLevel: UInt16 = 0, whiteLevel: UInt16
    ) {
        self.colorMatrix = colorMatrix.count == 9 ? colorMatrix : Self.sRGB
        self.asShotNeutral =
            asShotNeutral.count == 3 && asShotNeutral.allSatisfy { $0 > 0 } ? asShotNeutral : [1, 1, 1]
        self.blackLevel = blackLevel
        self.whiteLevel = whiteLevel
    }
}
