import CLibRaw

/// A picture that LibRaw made of a raw file; its memory goes with it.
@safe
public struct DevelopedPicture: ~Copyable {
    private var picture: caprig_libraw_picture

    /// Which pixels a picture has.
    public enum Scale: Sendable {
        /// Every one of the sensor's.
        case full
        /// One for each two by two samples, in a fraction of the time; an odd last row or column is left out.
        case half
    }

    /// Develops a raw file to sRGB: what the file says of its colours and levels, and nothing that depends on what the
    /// picture shows. It is not turned upright.
    ///
    /// Blocks for the time it takes, on the calling thread alone.
    /// - Parameter file: A whole raw file, such as a DNG.
    /// - Throws: ``LibRawError``: the file is damaged or of no known kind, or there is no memory.
    public init(of file: Span<UInt8>, scale: Scale) throws(LibRawError) {
        var picture = unsafe caprig_libraw_picture()
        let status = unsafe file.withUnsafeBufferPointer { bytes in
            unsafe caprig_libraw_develop(
                bytes.baseAddress, bytes.count, scale == .half ? CAPRIG_LIBRAW_HALF : CAPRIG_LIBRAW_FULL, &picture)
        }
        guard status == 0 else {
            throw LibRawError(code: status, cause: unsafe String(cString: caprig_libraw_message(status)))
        }
        unsafe self.picture = picture
    }

    deinit {
        var picture = unsafe picture
        unsafe caprig_libraw_free(&picture)
    }

    /// Pixels in a row.
    public var width: Int { Int(unsafe picture.width) }
    /// Rows.
    public var height: Int { Int(unsafe picture.height) }

    /// Calls `body` with the pixels: rows from the top, bytes R, G, B.
    public func withPixels<Result, Failure>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let bytes = unsafe UnsafeBufferPointer(start: picture.pixels, count: picture.byte_count)
        return try body(unsafe Span(_unsafeElements: bytes))
    }
}
