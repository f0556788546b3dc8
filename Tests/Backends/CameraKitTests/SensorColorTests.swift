import CaptureModel
import Testing

@testable import CameraKit

@Suite("Colors that a camera tells of its samples") struct SensorColorTests {
    private static let identity = [1.0, 0, 0, 0, 1, 0, 0, 0, 1]
    private static let correction = [1.8, -0.6, -0.2, -0.3, 1.6, -0.3, 0.1, -0.7, 1.6]
    /// From linear sRGB to XYZ (IEC 61966-2-1).
    private static let toXYZ = [0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505]

    private func product(_ matrix: [Double], _ vector: [Double]) -> [Double] {
        (0..<3).map { row in (0..<3).map { matrix[3 * row + $0] * vector[$0] }.reduce(0, +) }
    }

    @Test func `The neutral is the inverse of the gains, and unknown without them`() throws {
        let told = try #require(SensorColor(gains: .init(red: 2, blue: 1.6)))
        #expect(told.asShotNeutral == [0.5, 1, 0.625] && told.colorMatrix == nil)
        let corrected = try #require(SensorColor(blackLevel: 64, correction: Self.correction))
        #expect(corrected.asShotNeutral == nil && corrected.colorMatrix == nil && corrected.blackLevel == 64)
    }

    @Test(
        "What the matrix makes of a color is, balanced and corrected, that color again",
        arguments: [[1.0, 1, 1], [0.2, 0.5, 0.7], [1, 0, 0], [0, 0, 1]])
    func matrix(color: [Double]) throws {
        let told = try #require(SensorColor(gains: .init(red: 2.1, blue: 1.6), correction: Self.correction))
        let camera = product(try #require(told.colorMatrix), product(Self.toXYZ, color))
        let balanced = [camera[0] * 2.1, camera[1], camera[2] * 1.6]
        for (seen, shown) in zip(product(Self.correction, balanced), color) { #expect(abs(seen - shown) < 0.002) }
    }

    @Test func `A matrix that a configuration may not state is not told`() throws {
        let steep = [0.2, 0, 0, 0, 1, 0, 0, 0, 0.1]
        let told = try #require(SensorColor(gains: .init(red: 0.01, blue: 1), correction: steep))
        #expect(told.colorMatrix == nil && told.asShotNeutral == [100, 1, 1])
    }

    @Test func `Values that no camera has are refused`() {
        for factor in [0, -1, 0.001, 101, .nan, .infinity] {
            #expect(SensorColor(gains: .init(red: factor, blue: 1)) == nil)
            #expect(SensorColor(gains: .init(red: 1, blue: factor)) == nil)
        }
        let matrices: [[Double]] = [
            [], Array(Self.identity.dropLast()), Self.identity + [0], Self.identity.map { $0 * 17 },
            [1, 2, 3, 2, 4, 6, 0, 0, 1], Self.identity.map { $0 * .nan }, Self.identity.map { $0 * 0.1 },
        ]
        for matrix in matrices { #expect(SensorColor(correction: matrix) == nil) }
        #expect(SensorColor(correction: Self.identity) != nil)
    }
}
