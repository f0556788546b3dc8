import CameraKit
public import CaptureModel
import DNG
import ImageMetadata
public import PosixSupport
import TurboJPEG

/// Makes pictures and raw files of sensors' samples, one frame after the other, on a thread that no frame waits for.
///
/// Every capture that is under way waits for its own frames here, so the work that waits is bounded by the captures that
/// the sessions have at most.
public actor RawDeveloper {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor

    /// - Parameter executor: The thread for developing, which sessions may share.
    public init(executor: ThreadExecutor) {
        self.executor = executor
    }

    /// A raw file of one frame, which says nothing about itself.
    /// - Throws: ``CaptureProblem``: `corrupted` where the frame is none of its format; `unsupportedSettings` where the
    ///   levels do not suit it.
    public func rawFile(
        of frame: RawFrame, settings: RawSettings = RawSettings()
    ) throws(CaptureProblem) -> [UInt8] {
        let order = DevelopingRequest(
            frame: frame, settings: settings, needsPhoto: false, quality: RawThumbnail.quality,
            rawDescription: EXIFDescription())
        return Array((try develop(order).rawFile ?? []).joined())
    }

    /// - Throws: `corrupted`: the frame is none of its format, or a library refuses it; `unsupportedSettings`.
    func develop(_ order: DevelopingRequest) throws(CaptureProblem) -> DevelopedFrame {
        do {
            let mosaic = try RawMosaic(frame: order.frame.bytes.span, format: order.frame.format)
            let colour = try RawColour(order.settings, bits: mosaic.bits)
            let jpeg = try Self.picture(of: mosaic, colour, order)
            return DevelopedFrame(jpeg: jpeg, rawFile: try Self.rawFile(of: mosaic, colour, order, picture: jpeg))
        } catch let problem as CaptureProblem {
            throw problem
        } catch {
            throw CaptureProblem(.corrupted, "the raw frame of \(order.frame.format) cannot be developed: \(error)")
        }
    }

    private static func picture(
        of mosaic: RawMosaic, _ colour: RawColour, _ order: DevelopingRequest
    ) throws -> [UInt8] {
        let size = order.pictureSize
        let negative = DNGWriter.samplesAlone(of: mosaic, colour: colour)
        let picture = try DevelopedPicture(of: negative.span, scale: order.needsEverySample ? .full : .half)
        guard (picture.width, picture.height) == (size.width, size.height) else {
            throw CaptureProblem(
                .corrupted, "LibRaw made \(picture.width)x\(picture.height) pixels of \(order.frame.format)")
        }
        var jpeg: [UInt8] = []
        let encoder = try JPEGEncoder()
        try picture.withPixels { (pixels) throws(TurboJPEGError) in
            try encoder.encode(
                pixels, as: .rgb, width: size.width, height: size.height, quality: order.quality, into: &jpeg)
        }
        return jpeg
    }

    private static func rawFile(
        of mosaic: RawMosaic, _ colour: RawColour, _ order: DevelopingRequest, picture: [UInt8]
    ) throws -> [[UInt8]]? {
        guard let description = order.rawDescription else { return nil }
        let plan = RawThumbnail.plan(for: order.size, of: order.pictureSize)
        let thumbnail = try JPEGScaler().apply(plan, to: picture, quality: RawThumbnail.quality)
        return try DNGWriter(description: description, colour: colour).file(
            mosaic, preview: thumbnail, compression: order.settings.compression == .none ? .none : .losslessJPEG
        ).pieces
    }
}
