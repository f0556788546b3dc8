import Glibc

/// How a camera encodes light: the light, 0 to 1, of each of its values, 0 to 255.
public struct ToneCurve: Hashable, Sendable {
    private let light: [Double]

    /// The most points of a measured curve.
    public static let limit = 256

    public subscript(value: UInt8) -> Double { light[Int(value)] }

    /// IEC 61966-2-1.
    public static let sRGB = ToneCurve(
        light: (0...255).map { value in
            let encoded = Double(value) / 255
            return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4)
        })

    private init(light: [Double]) {
        self.light = light
    }

    /// Creates a measured curve: straight lines between points.
    /// - Parameter points: At least two, from value 0 to 255, ascending in both.
    /// - Returns: nil for other points.
    public init?(_ points: [(value: Int, light: Double)]) {
        let pairs = zip(points, points.dropFirst())
        guard (2...Self.limit).contains(points.count), points.first?.value == 0, points.last?.value == 255,
            pairs.allSatisfy({ $0.value < $1.value && $0.light < $1.light }),
            points.allSatisfy({ (0...1).contains($0.light) })
        else { return nil }
        light = (0...255).map { value in
            guard let upper = points.firstIndex(where: { $0.value >= value }), upper > 0 else { return points[0].light }
            let (low, high) = (points[upper - 1], points[upper])
            return low.light + (high.light - low.light) * Double(value - low.value) / Double(high.value - low.value)
        }
    }
}
