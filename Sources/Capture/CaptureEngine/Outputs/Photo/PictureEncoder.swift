public import CameraKit
public import CaptureModel
import TurboJPEG

/// Encodes a stream's uncompressed frames as JPEG images, in every pixel format from which stills are made.
///
/// Not `Sendable`: one for each thread or actor. A call takes the time of the compression.
public final class PictureEncoder {
    private let format: VideoFormat
    private let arrangement: PackedPixels
    private let range: SampleRange
    private let quality: Int
    private let encoder: JPEGEncoder

    /// - Parameter quality: 1 to 100.
    /// - Throws: ``RigProblem``: `unsupportedSettings` for a format that is compressed or not supported,
    ///   `notRunning` if there is no memory for an encoder.
    public init(format: VideoFormat, range: SampleRange, quality: Int) throws(RigProblem) {
        guard let arrangement = PackedPixels(format.pixelFormat.family) else {
            throw RigProblem(
                .unsupportedSettings, "no picture can be encoded from \(format.pixelFormat.rawValue) frames")
        }
        self.format = format
        self.arrangement = arrangement
        self.range = range
        self.quality = quality
        do {
            encoder = try JPEGEncoder()
        } catch {
            throw RigProblem(.notRunning, "no JPEG encoder: \(error)")
        }
    }

    /// Encodes the frame as a JPEG image.
    /// - Throws: ``RigProblem`` with code `corrupted` if the bytes are not a complete frame of the format.
    public func encode(_ lease: FrameLease) throws(RigProblem) -> [UInt8] {
        var output: [UInt8] = []
        do {
            try lease.withBytes { bytes in
                // The bytes are plain numbers: any view of them is valid for the duration of the call.
                let pixels = unsafe bytes._unsafeView(as: UInt8.self)
                try encoder.encode(
                    pixels, as: arrangement, isLimitedRange: range == .limited, width: format.width,
                    height: format.height, quality: quality, into: &output)
            }
        } catch {
            throw RigProblem(.corrupted, "\(lease.byteCount) bytes are not a frame of \(format): \(error)")
        }
        return output
    }
}

extension PackedPixels {
    /// nil for formats that are already compressed or not supported.
    init?(_ family: PixelFamily) {
        switch family {
        case .packed422(let lumaFirst): self = lumaFirst ? .yuyv : .uyvy
        case .semiPlanar420(let blueFirst): self = blueFirst ? .nv12 : .nv21
        case .planar420: self = .yuv420
        case .gray(let bits): self = .gray(bits: bits)
        case .rgb: self = .rgb
        case .jpeg, .bayer: return nil
        }
    }
}
