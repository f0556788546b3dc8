import CTurboJPEG

/// Size, subsampling and row distances of a planar YCbCr image.
///
/// Where chroma is subsampled, each luma row and column is padded to a multiple of the sampling factor, so a 4:2:2 image of
/// odd width has luma rows one sample longer than the image; ``planeSizes`` says what is read.
public struct PlaneGeometry: Equatable, Sendable {
    /// Width in pixels, 1...65500.
    public let width: Int
    /// Height in pixels, 1...65500.
    public let height: Int
    /// How the chroma planes are sampled.
    public let subsampling: ChromaSubsampling
    /// Bytes from one row to the next, one entry a plane: Y, Cb, Cr.
    public let strides: [Int]

    /// Describes planes with the given row distances in bytes.
    public init(width: Int, height: Int, subsampling: ChromaSubsampling, strides: [Int]) {
        self.width = width
        self.height = height
        self.subsampling = subsampling
        self.strides = strides
    }

    /// Describes tightly packed planes.
    public init(width: Int, height: Int, subsampling: ChromaSubsampling) {
        let strides =
            Self.isJPEGSize(width, height)
            ? (0..<Self.planeCount(subsampling)).map { Self.planeWidth($0, width, subsampling) } : []
        self.init(width: width, height: height, subsampling: subsampling, strides: strides)
    }

    /// Samples a row and rows of the planes Y, Cb and Cr; empty when the size is none JPEG allows.
    public var planeSizes: [(width: Int, height: Int)] {
        guard Self.isJPEGSize(width, height) else { return [] }
        return (0..<Self.planeCount(subsampling)).map { plane in
            (
                width: Self.planeWidth(plane, width, subsampling),
                height: Int(tjPlaneHeight(Int32(plane), Int32(height), subsampling.code))
            )
        }
    }

    var subject: String { "\(width)x\(height)" }

    /// Largest side of a JPEG that libjpeg handles.
    static let largestSide = 65500

    static func isJPEGSize(_ width: Int, _ height: Int) -> Bool {
        (1...largestSide).contains(width) && (1...largestSide).contains(height)
    }

    /// Bytes of all planes where they are tightly packed.
    var packedByteCount: Int { planeSizes.reduce(0) { $0 + $1.width * $1.height } }

    func check(quality: Int) throws(TurboJPEGError) {
        guard Self.isJPEGSize(width, height) else { throw geometryError("sides must be 1...\(Self.largestSide)") }
        guard (1...100).contains(quality) else { throw geometryError("quality \(quality) is not within 1...100") }
    }

    /// Makes sure that the library reads only bytes that exist.
    func check(quality: Int, counts: [Int]) throws(TurboJPEGError) {
        try check(quality: quality)
        let sizes = planeSizes
        guard strides.count >= sizes.count else { throw geometryError("\(sizes.count) strides are needed") }
        for (plane, size) in sizes.enumerated() {
            try Self.checkPlane(size.width, size.height, strides[plane], counts[plane], subject)
        }
    }

    private static func checkPlane(
        _ rowBytes: Int, _ rows: Int, _ stride: Int, _ count: Int, _ subject: String
    ) throws(TurboJPEGError) {
        guard stride >= rowBytes, stride <= Int(Int32.max) else {
            throw TurboJPEGError(
                .invalidGeometry, operation: "encode", subject: subject,
                cause: "a stride of \(stride) bytes does not fit rows of \(rowBytes)")
        }
        let needed = stride * (rows - 1) + rowBytes
        guard count >= needed else {
            throw TurboJPEGError(
                .bufferTooSmall, operation: "encode", subject: subject,
                cause: "\(count) bytes were given where \(needed) are needed")
        }
    }

    private func geometryError(_ cause: String) -> TurboJPEGError {
        TurboJPEGError(.invalidGeometry, operation: "encode", subject: subject, cause: cause)
    }

    private static func planeCount(_ subsampling: ChromaSubsampling) -> Int { subsampling == .gray ? 1 : 3 }

    private static func planeWidth(_ plane: Int, _ width: Int, _ subsampling: ChromaSubsampling) -> Int {
        Int(tjPlaneWidth(Int32(plane), Int32(width), subsampling.code))
    }
}
