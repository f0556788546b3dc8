import CaptureTestSupport
import DNG
import Testing

/// A sensor's picture of which every sample is known, and the frames that V4L2 would make of it.
struct SensorImage: Sendable, CustomStringConvertible {
    /// What the samples are like.
    enum Content: String, CaseIterable {
        /// Colour channels of different brightness, a gradient, and noise that grows with the light.
        case scene
        /// Every bit is chance, so that nothing can be compressed.
        case chance
        /// The least and the largest sample in turn, whose difference needs all bits and a sign.
        case extremes
        case plain
    }

    let width: Int
    let height: Int
    let bits: Int
    let order: CFAOrder
    let samples: [UInt16]
    let content: Content

    var description: String { "\(width)x\(height) \(bits) bits \(order.rawValue) \(content.rawValue)" }

    init(_ width: Int = 96, _ height: Int = 64, bits: Int, order: CFAOrder = .rggb, content: Content = .scene) {
        (self.width, self.height, self.bits, self.order, self.content) = (width, height, bits, order, content)
        var generator = SeededGenerator(seed: UInt64(width * 31 + height * 7 + bits))
        let largest = 1 << bits - 1
        samples = (0..<width * height).map { index in
            let (x, y) = (index % width, index / width)
            let sample =
                switch content {
                case .scene: Self.scene(x, y, width, height, largest, &generator)
                case .chance: Int.random(in: 0...largest, using: &generator)
                case .extremes: (x / 2 + y) % 2 == 0 ? 0 : largest
                case .plain: largest / 3
                }
            return UInt16(sample)
        }
    }

    private static func scene(
        _ x: Int, _ y: Int, _ width: Int, _ height: Int, _ largest: Int, _ generator: inout SeededGenerator
    ) -> Int {
        let channel = [0.9, 0.6, 0.6, 0.4][x % 2 + y % 2 * 2]
        let light = channel * (0.1 + 0.8 * Double(x + y) / Double(width + height)) * Double(largest)
        let noise = Double.random(in: -1...1, using: &generator) * (light.squareRoot() + 1)
        return min(max(Int(light + noise), 0), largest)
    }

    /// The packings in which a sensor delivers samples of so many bits.
    var packings: [RawPacking] { RawPacking.allCases.filter { frame($0) != nil } }

    /// The bytes of the frame; nil where samples are not packed so.
    func frame(_ packing: RawPacking) -> [UInt8]? {
        switch (packing, bits) {
        case (.bytes, 8): samples.map { UInt8($0) }
        case (.words, 9...): samples.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case (.mipi, 10):
            rows(of: 4, highFrom: 2) { low in
                let pairs: [UInt16] = [low[0] | low[1] << 2, low[2] | low[3] << 2]
                return [pairs[0] | pairs[1] << 4]
            }
        case (.mipi, 12): rows(of: 2, highFrom: 4) { low in [low[0] | low[1] << 4] }
        case (.mipi, 14):
            rows(of: 4, highFrom: 6) { low in
                let first: UInt16 = (low[0] | low[1] << 6) & 255
                let second: UInt16 = (low[1] >> 2 | low[2] << 4) & 255
                return [first, second, low[2] >> 4 | low[3] << 2]
            }
        default: nil
        }
    }

    /// Groups of so many samples: their high 8 bits, then what becomes of their low ones.
    private func rows(of count: Int, highFrom low: UInt16, _ pack: ([UInt16]) -> [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in 0..<height {
            for column in stride(from: 0, to: width, by: count) {
                var group = Array(samples[row * width + column..<row * width + min(column + count, width)])
                group += [UInt16](repeating: 0, count: count - group.count)
                bytes += group.map { UInt8($0 >> low) }
                bytes += pack(group.map { $0 & (1 << low - 1) }).map { UInt8($0) }
            }
        }
        return bytes
    }

    func mosaic() throws -> RawMosaic {
        try mosaic(#require(packings.first))
    }

    func mosaic(_ packing: RawPacking) throws -> RawMosaic {
        let bytes = try #require(frame(packing))
        return try RawMosaic(
            unpacking: bytes.span, packing: packing, width: width, height: height, bits: bits, order: order)
    }
}
