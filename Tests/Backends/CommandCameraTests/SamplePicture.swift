import TurboJPEG

/// Small pictures for the programs of the tests.
enum SamplePicture {
    static let (width, height) = (64, 48)

    /// Pictures that differ.
    static func all(_ count: Int, width: Int = width, height: Int = height) throws -> [[UInt8]] {
        let encoder = try JPEGEncoder()
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .gray)
        let none: [UInt8] = []
        return try (0..<count).map { index in
            let luma = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* (index + 3)) }
            var jpeg: [UInt8] = []
            try encoder.encode(geometry, y: luma.span, cb: none.span, cr: none.span, quality: 80, into: &jpeg)
            return jpeg
        }
    }
}
