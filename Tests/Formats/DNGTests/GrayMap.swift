import Foundation

/// A binary PGM of two bytes a sample, as raw converters write a mosaic.
struct GrayMap: Equatable, CustomStringConvertible {
    var width: Int
    var height: Int
    var samples: [UInt16]

    struct NotAGrayMap: Error {}

    var description: String { "\(width)x\(height) \(samples.prefix(8))…" }

    init(_ image: SensorImage) {
        (width, height, samples) = (image.width, image.height, image.samples)
    }

    init(contentsOf path: String) throws {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
        // P5, width, height, largest sample; each ends with one white space.
        var (words, start): ([String], Int) = ([], 0)
        while words.count < 4 {
            guard let end = bytes[start...].firstIndex(where: { $0 == 10 || $0 == 32 }) else { throw NotAGrayMap() }
            words.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end + 1
        }
        guard words[0] == "P5", let width = Int(words[1]), let height = Int(words[2]),
            bytes.count - start == width * height * 2
        else { throw NotAGrayMap() }
        (self.width, self.height) = (width, height)
        samples = stride(from: start, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    }
}
