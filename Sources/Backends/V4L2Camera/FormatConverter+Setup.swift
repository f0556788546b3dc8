import CaptureModel
import Glibc
import Video4Linux

extension FormatConverter {
    /// The converter for a camera's frames; nil where they need none.
    /// - Throws: ``VideoError`` with `ENOMEM` where the library has no memory.
    static func make(_ setup: V4L2Setup) throws(VideoError) -> FormatConverter? {
        guard let source = setup.source.convertedFrom else { return nil }
        let (width, height) = (setup.format.width, setup.format.height)
        guard let structure = setup.source.structure, let first = structure.planes.first,
            let sourceByteCount = structure.byteCount(width: width, height: height),
            let targetByteCount = setup.format.pixelFormat.byteCount(width: width, height: height),
            let converter = FormatConverter(
                from: source, bytesPerRow: first.rowBytes(width: width), sourceByteCount: sourceByteCount,
                to: FourCC(setup.format.pixelFormat.rawValue), targetByteCount: targetByteCount, width: width,
                height: height)
        else { throw VideoError(errorNumber: ENOMEM, operation: "v4lconvert", devicePath: setup.device.path) }
        return converter
    }
}
