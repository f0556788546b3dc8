import ImageMetadata

/// A HEIF still as an encoder has left it, which is given the properties that turn it.
enum HEIFFuzz {
    static func run(_ bytes: [UInt8]) throws {
        for orientation in EXIFOrientation.allCases {
            guard let turned = try? HEIFTransform.turned(bytes, as: orientation) else { continue }
            let growth = turned.count - bytes.count
            try FuzzFinding.unless([0, 10, 20].contains(growth), "turning a picture has added \(growth) bytes")
            try FuzzFinding.unless(
                growth > 0 || turned == bytes, "a picture that is not turned is another one afterwards")
            try FuzzFinding.unless(
                (try? HEIFTransform.turned(turned, as: .up)) == turned, "a turned picture cannot be read")
        }
    }
}
