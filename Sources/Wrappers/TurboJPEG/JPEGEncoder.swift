import CTurboJPEG

/// Compresses planar or packed YCbCr images to baseline JPEG.
///
/// Owns one libjpeg-turbo compressor and its buffers, which are kept from image to image. It is not `Sendable`: use one
/// per thread or actor. All calls block for the time of the compression.
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
    ///   - y: Luma; `cb`, `cr`: chroma at the resolution that the subsampling says (empty for ``ChromaSubsampling/gray``).
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

    /// Lends at least `count` bytes of memory that is kept from image to image.
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

    /// Lends the library memory for the worst case and takes what it has put there.
    func collect(
        _ planes: PlaneGeometry, _ result: inout [UInt8],
        _ compress: (_ buffer: inout UnsafeMutablePointer<UInt8>?, _ size: inout UInt) -> Int32
    ) throws(TurboJPEGError) {
        let bound = tjBufSize(Int32(planes.width), Int32(planes.height), planes.subsampling.code)
        try output.reserve(bound, for: planes.subject)
        // The library writes through these two even when it fails, and the buffer stays ours: with NOREALLOC
        // it never replaces it.
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
