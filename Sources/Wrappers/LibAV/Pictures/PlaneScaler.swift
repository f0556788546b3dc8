internal import CLibAV

/// Scales planes of samples by libswscale.
///
/// Each sample of the result is the mean of those that it covers. Each plane is scaled separately, so that luma and chroma of any
/// subsampling are treated alike and no colors are converted. Keeps its memory between planes. Not `Sendable`: use
/// one per thread or actor.
public final class PlaneScaler {
    private var source: [UInt8] = []

    /// Bytes after a plane that the library's vector code may read.
    private static let margin = 64
    /// The longest side of a plane, in samples.
    public static let longestSide = 32_768

    public init() {}

    /// Scales a plane of 8-bit samples.
    ///
    /// - Parameters:
    ///   - plane: Rows of `width` samples that begin `stride` bytes apart; the last row may end with its last sample.
    ///   - target: Width and height of the result.
    /// - Returns: The result, and the bytes from one of its rows to the next.
    /// - Throws: ``LibAVError`` if a side is not within 1 to ``longestSide``, bytes are missing, or there is no memory.
    public func scale(
        _ plane: Span<UInt8>, width: Int, height: Int, stride: Int, to target: (width: Int, height: Int)
    ) throws(LibAVError) -> (bytes: [UInt8], stride: Int) {
        let subject = "a plane of \(width)x\(height) to \(target.width)x\(target.height)"
        let sides = [width, height, target.width, target.height]
        guard sides.allSatisfy({ (1...Self.longestSide).contains($0) }), stride >= width, stride <= .max / height,
            plane.count >= stride * (height - 1) + width
        else { throw LibAVError("scale", subject, cause: "the sides or the number of bytes do not fit") }
        pack(plane, width, height, stride)
        let targetStride = (target.width + Self.margin - 1) / Self.margin * Self.margin
        var result = [UInt8](repeating: 0, count: targetStride * target.height + Self.margin)
        caprig_av_forget_message()
        let context = unsafe sws_getContext(
            CInt(width), CInt(height), AV_PIX_FMT_GRAY8, CInt(target.width), CInt(target.height), AV_PIX_FMT_GRAY8,
            CInt(SWS_AREA), nil, nil, nil)
        guard let context = unsafe context else { throw LibAVError(code: -ENOMEM, "scale", subject) }
        defer { unsafe sws_freeContext(context) }
        let rows = unsafe source.withUnsafeBufferPointer { source in
            unsafe result.withUnsafeMutableBufferPointer { result in
                var from = unsafe [source.baseAddress, nil, nil, nil]
                var to = unsafe [result.baseAddress, nil, nil, nil]
                let strides = [CInt(width), 0, 0, 0]
                let targetStrides = [CInt(targetStride), 0, 0, 0]
                return unsafe sws_scale(context, &from, strides, 0, CInt(height), &to, targetStrides)
            }
        }
        guard rows == target.height else { throw LibAVError(code: min(rows, -1), "scale", subject) }
        return (result, targetStride)
    }

    /// Copies the rows one after another, followed by readable padding.
    private func pack(_ plane: Span<UInt8>, _ width: Int, _ height: Int, _ stride: Int) {
        source.removeAll(keepingCapacity: true)
        source.reserveCapacity(width * height + Self.margin)
        for row in 0..<height {
            unsafe plane.extracting(row * stride..<row * stride + width).withUnsafeBufferPointer { row in
                unsafe source.append(contentsOf: row)
            }
        }
        source.append(contentsOf: repeatElement(0, count: Self.margin))
    }
}
