import CTurboJPEG

/// Size, subsampling and row distances of a planar YCbCr image.
///
/// If chroma is subsampled, luma rows and columns are padded to a multiple of the sampling factor. So a 4:2:2 image of odd width has luma
/// rows one sample longer than the image. ``planeSizes`` has the sizes that are read.
public struct PlaneGeometry: Equatable, Sendable {
    /// Width in pixels, 1...65500.
    public let width: Int
    /// Height in pixels, 1...65500.
    public let height: Int
    /// The sampling of the chroma planes.
    public let subsampling: ChromaSubsampling
    /// Bytes from one row to the next, one entry for each plane: Y, Cb, Cr.
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

    /// Samples per row, and rows, of the planes Y, Cb and Cr; empty if JPEG does not allow the size.
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

    /// The bytes of all planes if they are tightly packed.
    var packedByteCount: Int { planeSizes.reduce(0) { $0 + $1.width * $1.height } }

    func check(quality: Int) throws(TurboJPEGError) {
        guard Self.isJPEGSize(width, height) else { throw geometryError("sides must be 1...\(Self.largestSide)") }
        guard (1...100).contains(quality) else { throw geometryError("quality \(quality) is not within 1...100") }
    }

    /// Checks that the library reads only bytes that exist.
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
                cause: "\(count) bytes were given; \(needed) are needed")
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

/// The sampling of an image's chroma planes.
public enum ChromaSubsampling: String, Sendable, CaseIterable {
    /// Full resolution chroma.
    case yuv444
    /// Chroma at half width, as `YUYV` cameras deliver it.
    case yuv422
    /// Chroma at half width and half height.
    case yuv420
    /// Luma only.
    case gray
    /// Chroma at half height.
    case yuv440
    /// Chroma at a quarter of the width.
    case yuv411

    var code: Int32 {
        switch self {
        case .yuv444: Int32(TJSAMP_444.rawValue)
        case .yuv422: Int32(TJSAMP_422.rawValue)
        case .yuv420: Int32(TJSAMP_420.rawValue)
        case .gray: Int32(TJSAMP_GRAY.rawValue)
        case .yuv440: Int32(TJSAMP_440.rawValue)
        case .yuv411: Int32(TJSAMP_411.rawValue)
        }
    }

    init?(code: Int32) {
        guard let match = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = match
    }
}

extension ChromaSubsampling {
    /// Luma samples per row for each chroma sample.
    public var horizontalFactor: Int {
        switch self {
        case .yuv444, .gray, .yuv440: 1
        case .yuv422, .yuv420: 2
        case .yuv411: 4
        }
    }

    /// Luma rows for each chroma row.
    public var verticalFactor: Int {
        switch self {
        case .yuv444, .gray, .yuv422, .yuv411: 1
        case .yuv420, .yuv440: 2
        }
    }
}
