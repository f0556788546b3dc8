import CLibRaw

/// A picture that LibRaw developed from a raw file. It owns its memory.
@safe
public struct DevelopedPicture: ~Copyable {
    private var picture: caprig_libraw_picture

    /// The resolution of a picture.
    public enum Scale: Sendable {
        /// All pixels of the sensor.
        case full
        /// One pixel for each two by two samples, in a fraction of the time. An odd last row or column is left out.
        case half
    }

    /// Develops a raw file to sRGB, with the file's colors and levels and nothing that depends on the picture's
    /// content. The picture is not rotated to be upright.
    ///
    /// Blocks for the time it takes, and uses only the calling thread.
    /// - Parameter file: A complete raw file, such as a DNG.
    /// - Throws: ``LibRawError`` if the file is damaged or of an unknown kind, or if there is no memory.
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

    /// Returns why this machine can develop nothing, and what mends it; nil if it can. The first call loads LibRaw, which
    /// takes milliseconds.
    public static func obstacle() -> String? {
        missingPackage().map {
            "not supported: raw samples are developed by LibRaw, which this machine does not have; install it (apt install \($0)) and restart the agent"
        }
    }

    /// Returns the Debian package with LibRaw, if this machine does not have it. The first call loads LibRaw.
    public static func missingPackage() -> String? {
        unsafe caprig_libraw_missing_package().map { unsafe String(cString: $0) }
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
