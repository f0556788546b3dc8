import CaptureTestSupport
import TimeCode
import TurboJPEG

/// A busy 4:2:2 picture with a time code, as a virtual camera would send it.
struct Picture {
    let width: Int
    let height: Int
    var luma: [UInt8]
    private let chroma: [UInt8]

    init(width: Int, height: Int, code: TimeCode?, seed: UInt64 = 1) throws {
        var generator = SeededGenerator(seed: seed)
        self.width = width
        self.height = height
        // Noise of full swing is the worst neighbour that JPEG can give the cells. Rows are stretches of one noise, since
        // millions of single pixels would take seconds in unoptimised builds.
        let noise = (0..<2 * width).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        // Chroma is neutral over the code, and as noisy as the luma beside it.
        let codeWidth = try code.map { _ in try TimeCodeLayout(width: width, height: height).codeWidth } ?? 0
        let neutral = [UInt8](repeating: 128, count: codeWidth / 2)
        var (luma, chroma): ([UInt8], [UInt8]) = ([], [])
        for line in 0..<height {
            let start = line / 3 * 37 % width
            luma += noise[start..<start + width]
            chroma += neutral + noise[start..<start + (width + 1) / 2 - neutral.count]
        }
        self.luma = luma
        self.chroma = chroma
        if let code { try TimeCodeLayout(width: width, height: height).draw(code, into: &self.luma, stride: width) }
    }

    func jpeg(quality: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .yuv422)
        try JPEGEncoder().encode(
            geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: quality, into: &bytes)
        return bytes
    }

    func read() throws(TimeCodeError) -> TimeCode {
        try TimeCode.decode(luma: luma.span, width: width, height: height, stride: width)
    }
}

extension LumaImage {
    func read() throws(TimeCodeError) -> TimeCode {
        try TimeCode.decode(luma: bytes.span, width: width, height: height, stride: width)
    }

    /// Half of width and height, each pixel the mean of four, as a video scaler makes it.
    func halvedRead() throws(TimeCodeError) -> TimeCode {
        let (columns, rows) = (width / 2, height / 2)
        var half = [UInt8](repeating: 0, count: columns * rows)
        for y in 0..<rows {
            for x in 0..<columns {
                let corner = 2 * y * width + 2 * x
                let sum = [0, 1, width, width + 1].reduce(2) { $0 + Int(bytes[corner + $1]) }
                half[y * columns + x] = UInt8(sum / 4)
            }
        }
        return try TimeCode.decode(luma: half.span, width: columns, height: rows, stride: columns)
    }
}
