import TimeCode

/// Pictures as a virtual camera draws them.
enum SamplePicture {
    /// A binary PGM with nothing but the code.
    static func grayMap(of code: TimeCode) throws -> [UInt8] {
        let (width, height) = (320, 200)
        var luma = [UInt8](repeating: 128, count: width * height)
        try TimeCodeLayout(width: width, height: height).draw(code, into: &luma, stride: width)
        return Array("P5 \(width) \(height) 255\n".utf8) + luma
    }
}
