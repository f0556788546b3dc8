internal import CaptureModel
public import RigWire
public import TurboJPEG

extension FrameHeader {
    /// How the pixels of the payload must be changed to stand upright: turned clockwise, then mirrored. nil if they do already.
    public var uprightTransform: PictureTransform? {
        switch (orientation, isMirrored) {
        case (.degrees0, false): nil
        case (.degrees0, true): .flipHorizontal
        case (.degrees90, false): .rotate90
        case (.degrees90, true): .transpose
        case (.degrees180, false): .rotate180
        case (.degrees180, true): .flipVertical
        case (.degrees270, false): .rotate270
        case (.degrees270, true): .transverse
        }
    }
}

/// Turns the pixels of live frames upright, for receivers that show a JPEG as it is stored.
///
/// Frames that stand upright are passed on unchanged, at no cost. Not `Sendable`: use one per thread or actor.
public final class FrameTurner {
    /// Frames of larger cameras than there are would hold memory for long.
    private static let maximumPixelCount = 50_000_000

    private var turner: JPEGTurner?

    public init() {}

    /// Returns the JPEG of a frame as it stands upright. Blocks for the time of the work.
    /// - Throws: `TurboJPEGError` if the picture cannot be decoded.
    public func upright(_ frame: ReceivedFrame) throws(TurboJPEGError) -> [UInt8] {
        guard let transform = frame.header.uprightTransform else { return frame.payload }
        return try upright(frame.payload.span, by: transform)
    }

    /// Returns a JPEG turned. Blocks for the time of the work.
    /// - Throws: `TurboJPEGError` if the picture cannot be decoded.
    public func upright(_ jpeg: Span<UInt8>, by transform: PictureTransform) throws(TurboJPEGError) -> [UInt8] {
        var turned: [UInt8] = []
        try prepared().turn(jpeg, transform, into: &turned)
        return turned
    }

    /// Returns the codec, which is created with the first picture that needs it and kept.
    private func prepared() throws(TurboJPEGError) -> JPEGTurner {
        if let turner { return turner }
        let made = try JPEGTurner(maximumPixelCount: Self.maximumPixelCount)
        turner = made
        return made
    }
}
