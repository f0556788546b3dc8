public import CameraKit
public import CaptureModel
import TurboJPEG

/// Makes a JPEG image of a stream's uncompressed frames, of every pixel format that stills are made of.
///
/// Not `Sendable`: one for each thread or actor. A call takes the time of the compression.
public final class PictureEncoder {
    private let format: VideoFormat
    private let arrangement: PackedPixels
    private let range: SampleRange
    private let quality: Int
    private let encoder: JPEGEncoder

    /// - Parameter quality: 1 to 100.
    /// - Throws: ``CaptureProblem``: `unsupportedSettings` for a format that is compressed or that is not developed,
    ///   `notRunning` where there is no memory for an encoder.
    public init(format: VideoFormat, range: SampleRange, quality: Int) throws(CaptureProblem) {
        guard let arrangement = PackedPixels(format.pixelFormat.family) else {
            throw CaptureProblem(
                .unsupportedSettings, "no picture can be encoded of \(format.pixelFormat.rawValue) frames")
        }
        self.format = format
        self.arrangement = arrangement
        self.range = range
        self.quality = quality
        do {
            encoder = try JPEGEncoder()
        } catch {
            throw CaptureProblem(.notRunning, "no JPEG encoder: \(error)")
        }
    }

    /// The frame as a JPEG image.
    /// - Throws: ``CaptureProblem`` of code `corrupted` where the bytes are no whole frame of the format.
    public func encode(_ lease: FrameLease) throws(CaptureProblem) -> [UInt8] {
        var output: [UInt8] = []
        do {
            try lease.withBytes { bytes in
                // The bytes are plain numbers: any view of them is valid for the length of the call.
                let pixels = unsafe bytes._unsafeView(as: UInt8.self)
                try encoder.encode(
                    pixels, as: arrangement, isLimitedRange: range == .limited, width: format.width,
                    height: format.height, quality: quality, into: &output)
            }
        } catch {
            throw CaptureProblem(.corrupted, "\(lease.byteCount) bytes are no frame of \(format): \(error)")
        }
        return output
    }
}

extension PackedPixels {
    /// Nil for what is compressed already or not developed.
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
