import CTurboJPEG

/// Compresses planar or packed YCbCr images to baseline JPEG.
///
/// Owns one libjpeg-turbo compressor and its buffers, which are reused. Not `Sendable`: use one per thread or actor. All calls block during
/// the compression.
@safe
public final class JPEGEncoder {
    let handle: tjhandle
    private let output = CodecBuffer()
    private var scratch: [UInt8] = []

    /// Creates a compressor.
    ///
    /// - Throws: ``TurboJPEGError`` with ``TurboJPEGError/Code/outOfResources``.
    public init() throws(TurboJPEGError) {
        guard let handle = unsafe tjInitCompress() else {
            throw TurboJPEGError(.outOfResources, operation: "encoder start", cause: unsafe libraryMessage(nil))
        }
        unsafe self.handle = handle
    }

    deinit { unsafe tjDestroy(handle) }

    /// Compresses three planes.
    ///
    /// - Parameters:
    ///   - planes: Sizes and row distances in bytes; a plane's last row may end with its last sample.
    ///   - y: Luma; `cb`, `cr`: chroma at the resolution of the subsampling (empty for ``ChromaSubsampling/gray``).
    ///   - quality: 1...100.
    ///   - output: Replaced by the JPEG; its capacity is reused.
    /// - Throws: ``TurboJPEGError``; `output` is then unchanged.
    public func encode(
        _ planes: PlaneGeometry, y: Span<UInt8>, cb: Span<UInt8>, cr: Span<UInt8>, quality: Int,
        into output: inout [UInt8]
    ) throws(TurboJPEGError) {
        try planes.check(quality: quality, counts: [y.count, cb.count, cr.count])
        try unsafe y.withUnsafeBufferPointer { (y) throws(TurboJPEGError) in
            try unsafe cb.withUnsafeBufferPointer { (cb) throws(TurboJPEGError) in
                try unsafe cr.withUnsafeBufferPointer { (cr) throws(TurboJPEGError) in
                    let pointers = unsafe [y.baseAddress, cb.baseAddress, cr.baseAddress]
                    try unsafe compress(planes, pointers, quality, &output)
                }
            }
        }
    }

    /// Calls the body with at least `count` bytes of memory, which is reused.
    func withScratch(
        _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) throws(TurboJPEGError) -> Void
    ) throws(TurboJPEGError) {
        if scratch.count < count { scratch = [UInt8](repeating: 0, count: count) }
        try unsafe scratch.withUnsafeMutableBufferPointer { (bytes) throws(TurboJPEGError) in
            guard let start = bytes.baseAddress else { return }
            try unsafe body(start)
        }
    }

    func compress(
        _ planes: PlaneGeometry, _ pointers: [UnsafePointer<UInt8>?], _ quality: Int, _ result: inout [UInt8]
    ) throws(TurboJPEGError) {
        var pointers = unsafe pointers
        let strides = planes.strides.map { Int32(clamping: $0) }
        try unsafe collect(planes, &result) { (buffer, size) in
            unsafe tjCompressFromYUVPlanes(
                handle, &pointers, Int32(planes.width), strides, Int32(planes.height), planes.subsampling.code, &buffer,
                &size, Int32(quality), Self.flags)
        }
    }

    /// The accurate transform costs no more than the fast one on current processors.
    static let flags = TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT

    /// Gives the library memory for the worst case and returns what it has written.
    func collect(
        _ planes: PlaneGeometry, _ result: inout [UInt8],
        _ compress: (_ buffer: inout UnsafeMutablePointer<UInt8>?, _ size: inout UInt) -> Int32
    ) throws(TurboJPEGError) {
        let bound = tjBufSize(Int32(planes.width), Int32(planes.height), planes.subsampling.code)
        try output.reserve(bound, for: planes.subject)
        // The library writes through both pointers even if it fails. The buffer stays ours: with NOREALLOC the library never replaces it.
        var (buffer, size) = unsafe (output.start, output.capacity)
        let status = unsafe compress(&buffer, &size)
        guard status == 0, let buffer = unsafe buffer else {
            throw TurboJPEGError(
                .encodingFailed, operation: "encode", subject: planes.subject, cause: unsafe libraryMessage(handle))
        }
        result.removeAll(keepingCapacity: true)
        unsafe result.append(contentsOf: UnsafeBufferPointer(start: buffer, count: Int(size)))
    }
}

extension JPEGEncoder {
    /// Compresses an image as a camera delivers it.
    ///
    /// - Parameters:
    ///   - pixels: The image; bytes after it are not read.
    ///   - arrangement: The format of the bytes.
    ///   - isLimitedRange: Whether luma is within 16 to 235 and chroma within 16 to 240. Both are expanded to JPEG's range. Ignored for
    ///     RGB, and for gray of more than 8 bits.
    ///   - width: Pixels; even if chroma is subsampled.
    ///   - height: Pixels; even if chroma is subsampled vertically.
    ///   - quality: 1...100.
    ///   - output: Replaced by the JPEG; its capacity is reused.
    /// - Throws: ``TurboJPEGError``; `output` is then unchanged.
    public func encode(
        _ pixels: Span<UInt8>, as arrangement: PackedPixels, isLimitedRange: Bool = false, width: Int, height: Int,
        quality: Int, into output: inout [UInt8]
    ) throws(TurboJPEGError) {
        try arrangement.check(width: width, height: height, count: pixels.count)
        let planes = PlaneGeometry(width: width, height: height, subsampling: arrangement.subsampling)
        try planes.check(quality: quality)
        try unsafe pixels.withUnsafeBufferPointer { (bytes) throws(TurboJPEGError) in
            guard let source = bytes.baseAddress else { return }
            if arrangement == .rgb {
                try unsafe compressRGB(planes, source, quality, &output)
            } else {
                try unsafe withScratch(planes.packedByteCount) { (scratch) throws(TurboJPEGError) in
                    let pointers = unsafe planar(source, arrangement, planes, isLimitedRange, scratch)
                    try unsafe compress(planes, pointers, quality, &output)
                }
            }
        }
    }

    /// Returns the location of the image's planes: in `source` if they can be used in place, otherwise in `scratch`.
    private func planar(
        _ source: UnsafePointer<UInt8>, _ arrangement: PackedPixels, _ planes: PlaneGeometry, _ isLimited: Bool,
        _ scratch: UnsafeMutablePointer<UInt8>
    ) -> [UnsafePointer<UInt8>?] {
        let (width, height) = (planes.width, planes.height)
        let luma = width * height
        let chroma = (planes.packedByteCount - luma) / 2
        let (cb, cr) = unsafe (scratch + luma, scratch + luma + chroma)
        var (y, b, r) = unsafe (UnsafePointer(scratch), UnsafePointer(cb), UnsafePointer(cr))
        switch arrangement {
        case .yuyv: unsafe caprig_split_yuyv(source, 2 * width, width, height, scratch, cb, cr)
        case .uyvy: unsafe caprig_split_uyvy(source, 2 * width, width, height, scratch, cb, cr)
        case .nv12:
            unsafe caprig_split_pairs(source + luma, chroma, cb, cr)
            unsafe y = source
        case .nv21:
            unsafe caprig_split_pairs(source + luma, chroma, cr, cb)
            unsafe y = source
        case .yuv420: unsafe (y, b, r) = unsafe (source, source + luma, source + luma + chroma)
        case .gray(let bits) where bits > 8:
            unsafe caprig_reduce_gray(source, luma, UInt32(bits), scratch)
            return unsafe [y]
        case .gray, .rgb: unsafe y = source
        }
        if isLimited {
            unsafe caprig_widen_luma(y, luma, scratch)
            unsafe caprig_widen_chroma(b, chroma, cb)
            unsafe caprig_widen_chroma(r, chroma, cr)
            return unsafe [UnsafePointer(scratch), UnsafePointer(cb), UnsafePointer(cr)]
        }
        return unsafe [y, b, r]
    }

    private func compressRGB(
        _ planes: PlaneGeometry, _ source: UnsafePointer<UInt8>, _ quality: Int, _ result: inout [UInt8]
    ) throws(TurboJPEGError) {
        let (width, height) = (Int32(planes.width), Int32(planes.height))
        try unsafe collect(planes, &result) { (buffer, size) in
            unsafe tjCompress2(
                handle, source, width, 3 * width, height, Int32(TJPF_RGB.rawValue), &buffer, &size,
                planes.subsampling.code, Int32(quality), Self.flags)
        }
    }
}

/// Formats of uncompressed pixels from cameras: rows without padding, planes one after another.
public enum PackedPixels: Hashable, Sendable {
    /// 4:2:2, bytes Y0 Cb Y1 Cr.
    case yuyv
    /// 4:2:2, bytes Cb Y0 Cr Y1.
    case uyvy
    /// 4:2:0, a plane of luma, then one of Cb Cr pairs.
    case nv12
    /// 4:2:0, a plane of luma, then one of Cr Cb pairs.
    case nv21
    /// 4:2:0, planes of luma, Cb and Cr.
    case yuv420
    /// Luma only, of 8 bits; or of up to 16 bits in two little-endian bytes, of which the highest 8 bits are used.
    case gray(bits: Int)
    /// Bytes R, G, B. Converted to 4:2:2.
    case rgb

    /// The chroma subsampling of the JPEG.
    var subsampling: ChromaSubsampling {
        switch self {
        case .yuyv, .uyvy, .rgb: .yuv422
        case .nv12, .nv21, .yuv420: .yuv420
        case .gray: .gray
        }
    }

    /// Returns the bytes of an image, whose sides are within JPEG's limits.
    func byteCount(width: Int, height: Int) -> Int {
        let count = width * height
        return switch self {
        case .yuyv, .uyvy: 2 * count
        case .nv12, .nv21, .yuv420: count + count / 2
        case .gray(let bits): bits > 8 ? 2 * count : count
        case .rgb: 3 * count
        }
    }

    /// Checks that an image of this size can be read from `count` bytes.
    func check(width: Int, height: Int, count: Int) throws(TurboJPEGError) {
        let subject = "\(width)x\(height)"
        guard PlaneGeometry.isJPEGSize(width, height), fits(width: width, height: height) else {
            throw TurboJPEGError(
                .invalidGeometry, operation: "encode", subject: subject,
                cause:
                    "sides must be 1...\(PlaneGeometry.largestSide), and even if chroma is subsampled")
        }
        let needed = byteCount(width: width, height: height)
        guard count >= needed else {
            throw TurboJPEGError(
                .bufferTooSmall, operation: "encode", subject: subject,
                cause: "\(count) bytes were given; \(needed) are needed")
        }
    }

    private func fits(width: Int, height: Int) -> Bool {
        switch self {
        case .yuyv, .uyvy: width.isMultiple(of: 2)
        case .nv12, .nv21, .yuv420: width.isMultiple(of: 2) && height.isMultiple(of: 2)
        case .gray(let bits): (8...16).contains(bits)
        case .rgb: true
        }
    }
}
