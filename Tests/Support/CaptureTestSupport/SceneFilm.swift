import CaptureModel
import Glibc

/// What a camera sees of a scene of cells, as factors on the light of each cell. It is here and not beside its tests
/// because they ask for a hundred thousand frames, and tests are not optimized.
public struct SceneFilm {
    private var noise: SplitMix64
    private let cellCount: Int
    /// The standard deviation of the light of a frame, and of a cell in a frame.
    public var frameNoise = 0.0
    public var cellNoise = 0.0
    /// Of the light's sine, at this many hertz.
    public var flicker = 0.0
    public var hertz = 100.0
    public var toneExponent = 1.0
    /// The light of a cell in a frame, in addition to the step.
    public var scene: (_ frame: Int, _ cell: Int) -> Double = { _, _ in 1 }
    /// The reflectance of all cells is multiplied by it.
    public var level = 1.0

    public init(seed: UInt64, cellCount: Int) {
        noise = SplitMix64(seed: seed)
        self.cellCount = cellCount
    }

    /// The sRGB values of the cells of a frame, 0 to 255, at sixty frames a second.
    /// - Parameter step: A factor on the light of the whole scene.
    public mutating func cells(ofFrame frame: Int, step: Double) -> [Double] {
        let light = step * (1 + frameNoise * normal() + flicker * sin(2 * .pi * hertz * Double(frame) / 60))
        return (0..<cellCount).map { cell in
            let reflectance = level * (0.08 + 0.004 * Double(cell * 17 % 48))
            let seen = reflectance * light * scene(frame, cell) * (1 + cellNoise * normal())
            return encoded(pow(max(seen, 0), toneExponent))
        }
    }

    /// A sum of twelve, whose distribution is nearly normal.
    private mutating func normal() -> Double {
        var (sum, count) = (-6.0, 0)
        while count < 12 {
            // What `Double.random(in: 0..<1, using: &noise)` gives. Unoptimized, that takes fifty times as long.
            sum += Double(noise.next() & 0x1F_FFFF_FFFF_FFFF) * 0x1p-53
            count += 1
        }
        return sum
    }

    private func encoded(_ light: Double) -> Double {
        let light = min(light, 1)
        return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }
}
