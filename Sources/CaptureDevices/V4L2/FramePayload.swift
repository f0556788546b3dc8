import CaptureModel
import Video4Linux

/// Where the pixel data of a frame lies in its buffer. Pure.
enum FramePayload: Hashable, Sendable {
    /// The first bytes of the buffer.
    case leading(count: Int)
    /// Rows with unused bytes behind each, which must be copied to be packed.
    case padded(rows: Int, rowBytes: Int, stride: Int)
    /// The driver delivered no whole frame.
    case incomplete

    /// - Parameters:
    ///   - bytesUsed: As the driver says.
    ///   - capacity: Size of the mapped buffer, which is what can be trusted.
    init(_ pixelFormat: PixelFormat, _ layout: PixelLayout, bytesUsed: Int, capacity: Int) {
        let available = min(bytesUsed, capacity)
        switch pixelFormat {
        case .mjpeg:
            self = available > 0 ? .leading(count: available) : .incomplete
        case .yuyv:
            let rows = Int(layout.height)
            let rowBytes = Int(layout.width) * 2
            let stride = max(Int(layout.bytesPerRow), rowBytes)
            let needed = stride * max(rows - 1, 0) + rowBytes
            guard rows > 0, rowBytes > 0, needed <= available else {
                self = .incomplete
                return
            }
            self =
                stride == rowBytes
                ? .leading(count: needed) : .padded(rows: rows, rowBytes: rowBytes, stride: stride)
        }
    }
}
