import CVideo4Linux
import Glibc

/// Converts uncompressed frames from one format to another with libv4lconvert. Needs no device.
///
/// The library reads as many bytes as a frame of its source format has, whatever the length of its input, and its decoders of cameras'
/// proprietary compressions read without a limit. So the caller passes only formats with a fixed number of bytes per pixel, and frames of
/// another length are refused here. Not `Sendable`: use one per thread.
@safe public final class FormatConverter {
    private let handle: OpaquePointer
    private let sourceByteCount: Int
    private let targetByteCount: Int

    /// - Parameters:
    ///   - source: The format of the packed input frames.
    ///   - bytesPerRow: The bytes of a row in the first plane of such a frame.
    ///   - sourceByteCount: The bytes of such a frame.
    ///   - target: `RGB3`, `BGR3`, `YU12` or `YV12`.
    ///   - targetByteCount: The bytes of a packed output frame.
    ///   - width: Pixels, a multiple of 8. `height`: pixels, even.
    /// - Returns: nil if there is not enough memory, or the library does not accept the size.
    public init?(
        from source: FourCC, bytesPerRow: Int, sourceByteCount: Int, to target: FourCC, targetByteCount: Int,
        width: Int, height: Int
    ) {
        guard Self.accepts(width: width, height: height), let bytesPerRow = UInt32(exactly: bytesPerRow),
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

    /// Returns whether every conversion of the library stays within its buffers at this size.
    public static func accepts(width: Int, height: Int) -> Bool {
        (8...65_528).contains(width) && (2...65_534).contains(height) && width.isMultiple(of: 8)
            && height.isMultiple(of: 2)
    }

    /// Returns the frame in the target format; nil if its length is wrong or the library refuses it.
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
