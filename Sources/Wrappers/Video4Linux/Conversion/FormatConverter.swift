import CVideo4Linux
import Glibc

/// Converts uncompressed frames from one format to another by libv4lconvert. Needs no device.
///
/// The library reads as many bytes as a frame of its source format has, whatever it is given, and its decoders of
/// cameras' own compressions read on without a limit; so the caller names only formats of a fixed number of bytes for each
/// pixel, and frames of another length are refused here. It is not `Sendable`: use one per thread.
@safe public final class FormatConverter {
    private let handle: OpaquePointer
    private let sourceByteCount: Int
    private let targetByteCount: Int

    /// - Parameters:
    ///   - source: The format of packed frames that are given.
    ///   - bytesPerRow: Bytes of a row in the first of its planes.
    ///   - sourceByteCount: Bytes of such a frame.
    ///   - target: `RGB3`, `BGR3`, `YU12` or `YV12`.
    ///   - targetByteCount: Bytes of a packed frame of it.
    ///   - width: Pixels, a multiple of 8. `height`: pixels, even.
    /// - Returns: nil where the library has no memory, or the size is none it takes.
    public init?(
        from source: FourCC, bytesPerRow: Int, sourceByteCount: Int, to target: FourCC, targetByteCount: Int,
        width: Int, height: Int
    ) {
        guard Self.takes(width: width, height: height), let bytesPerRow = UInt32(exactly: bytesPerRow),
            let handle = unsafe cv4l_converter_create(
                source.rawValue, bytesPerRow, target.rawValue, UInt32(width), UInt32(height))
        else { return nil }
        unsafe self.handle = handle
        self.sourceByteCount = sourceByteCount
        self.targetByteCount = targetByteCount
    }

    deinit {
        unsafe cv4l_converter_destroy(handle)
    }

    /// Sizes that every conversion of the library keeps within its buffers.
    public static func takes(width: Int, height: Int) -> Bool {
        (8...65_528).contains(width) && (2...65_534).contains(height) && width.isMultiple(of: 8)
            && height.isMultiple(of: 2)
    }

    /// The frame in the target format; nil where its length is wrong or the library refuses it.
    public func convert(_ frame: consuming [UInt8]) -> [UInt8]? {
        guard frame.count == sourceByteCount else { return nil }
        var status = EINVAL
        let converted = unsafe [UInt8](unsafeUninitializedCapacity: targetByteCount) { target, count in
            status = unsafe frame.withUnsafeMutableBufferPointer { source in
                unsafe cv4l_convert(
                    handle, source.baseAddress, source.count, target.baseAddress, targetByteCount)
            }
            count = status == 0 ? targetByteCount : 0
        }
        return status == 0 ? converted : nil
    }
}
