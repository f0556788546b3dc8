public import CameraKit
public import CaptureModel
public import DNG
import ImageMetadata
public import PosixSupport
import TurboJPEG

/// Makes pictures and raw files from sensors' samples, one frame after the other, on a thread for which no frame waits.
///
/// Every capture in progress waits for its own frames here, so the waiting work is bounded by the limit on the
/// sessions' captures.
public actor RawDeveloper {
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    nonisolated let executor: ThreadExecutor
    private nonisolated let findObstacle: @Sendable () -> String?

    /// - Parameters:
    ///   - executor: The thread for developing. Sessions may share it.
    ///   - findObstacle: Returns why this machine can develop nothing; nil if it can. Called when a camera delivers
    ///     samples, since other machines need not load what develops them.
    public init(
        executor: ThreadExecutor, findObstacle: @escaping @Sendable () -> String? = DevelopedPicture.obstacle
    ) {
        self.executor = executor
        self.findObstacle = findObstacle
    }

    /// Why this machine can develop nothing, and what mends it; nil if it can. The first call takes milliseconds.
    nonisolated var obstacle: String? { findObstacle() }

    /// Returns a raw file of one frame, without descriptive metadata.
    /// - Throws: ``RigProblem``: `corrupted` if the frame does not match its format; `unsupportedSettings` if the
    ///   levels do not suit it.
    public func rawFile(
        of frame: RawFrame, settings: RawSettings = RawSettings()
    ) throws(RigProblem) -> [UInt8] {
        let order = DevelopingRequest(
            frame: frame, settings: settings, needsPhoto: false, quality: RawThumbnail.quality,
            rawDescription: EXIFDescription())
        return Array((try develop(order).rawFile ?? []).joined())
    }

    /// - Throws: `corrupted` if the frame does not match its format, or a library refuses it; `unsupportedSettings`.
    func develop(_ order: DevelopingRequest) throws(RigProblem) -> DevelopedFrame {
        do {
            let mosaic = try RawMosaic(frame: order.frame.bytes.span, format: order.frame.format)
            let color = try RawColor(order.settings, order.frame.color, bits: mosaic.bits)
            let jpeg = try Self.picture(of: mosaic, color, order)
            return DevelopedFrame(jpeg: jpeg, rawFile: try Self.rawFile(of: mosaic, color, order, picture: jpeg))
        } catch let problem as RigProblem {
            throw problem
        } catch {
            throw RigProblem(.corrupted, "the raw frame of \(order.frame.format) cannot be developed: \(error)")
        }
    }

    private static func picture(
        of mosaic: RawMosaic, _ color: RawColor, _ order: DevelopingRequest
    ) throws -> [UInt8] {
        let size = order.pictureSize
        let negative = DNGWriter.samplesAlone(of: mosaic, color: color)
        let picture = try DevelopedPicture(of: negative.span, scale: order.needsEverySample ? .full : .half)
        guard (picture.width, picture.height) == (size.width, size.height) else {
            throw RigProblem(
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
        of mosaic: RawMosaic, _ color: RawColor, _ order: DevelopingRequest, picture: [UInt8]
    ) throws -> [[UInt8]]? {
        guard let description = order.rawDescription else { return nil }
        let plan = RawThumbnail.plan(order.thumbnail, for: order.size, of: order.pictureSize)
        let thumbnail = try plan.map { try JPEGScaler().apply($0, to: picture, quality: RawThumbnail.quality) }
        return try DNGWriter(description: description, color: color).file(
            mosaic, preview: thumbnail, compression: order.settings.compression == .none ? .none : .losslessJPEG
        ).pieces
    }
}

/// A request to develop a sensor's samples.
struct DevelopingRequest: Sendable {
    var frame: RawFrame
    /// The meaning of the samples, and how a raw file stores them.
    var settings: RawSettings
    /// Whether the full picture is needed. Otherwise only the preview in the raw file is made, for programs that do not
    /// develop it.
    var needsPhoto: Bool
    /// Encoder quality of the picture, 1 to 100.
    var quality: Int
    /// The requested picture in the raw file; nil for the default.
    var thumbnail: RawThumbnailFormat?
    /// The metadata of the raw file; nil if none is requested.
    var rawDescription: EXIFDescription?

    /// The size of the samples.
    var size: PixelSize { PixelSize(width: frame.format.width, height: frame.format.height) }
    /// The size of the developed picture: from every sample, or from each two by two.
    var pictureSize: PixelSize {
        needsEverySample ? size : PixelSize(width: size.width / 2, height: size.height / 2)
    }
    /// Whether the picture is made from every sample. At half scale, LibRaw leaves out an odd last row or column.
    var needsEverySample: Bool {
        needsPhoto || !size.width.isMultiple(of: 2) || !size.height.isMultiple(of: 2)
    }
}

/// The result of a ``DevelopingRequest``.
struct DevelopedFrame: Sendable {
    /// The picture; at half the width and height if no photo was requested.
    var jpeg: [UInt8]
    /// The raw file, in pieces; nil if none was requested.
    var rawFile: [[UInt8]]?
}

/// The JPEG in a raw file.
enum RawThumbnail {
    static let quality = 80

    /// Returns how it is made from a picture of the samples. It has at most half their sides, because dcraw takes the
    /// first of several images with the same bits per sample as the samples. A picture of half the sides and one of all
    /// samples give the same size.
    /// - Parameter request: nil for the default.
    /// - Returns: nil if there is to be none.
    static func plan(
        _ request: RawThumbnailFormat?, for samples: PixelSize, of picture: PixelSize
    ) -> ScalePlan? {
        guard request?.codec != RawThumbnailFormat.Codec.none else { return nil }
        let half = (max(samples.width, samples.height) + 1) / 2
        let longest = request?.longerSide ?? RawThumbnailFormat.defaultLongerSide
        return ScalePlan(of: picture, limit: min(longest, half), shape: .whole)
    }
}

extension RawColor {
    /// Creates the meaning of samples with this many bits from the configuration. Missing values are those that the camera tells of the
    /// frame, or defaults for an unknown camera. A black level that the camera tells counts only below the white level.
    /// - Throws: `unsupportedSettings` if the configured levels are out of range for this many bits.
    init(_ settings: RawSettings, _ told: SensorColor?, bits: Int) throws(RigProblem) {
        let largest = UInt16.max >> UInt16(16 - min(max(bits, 1), 16))
        let white = settings.whiteLevel ?? largest
        let black = settings.blackLevel ?? told?.blackLevel.flatMap { $0 < white ? $0 : nil } ?? 0
        guard black < white, white <= largest else {
            throw RigProblem(
                .unsupportedSettings,
                "samples of \(bits) bits reach to \(largest), and `blackLevel` \(black) and `whiteLevel` \(white) of the device's configuration are not in ascending order within that range"
            )
        }
        self.init(
            colorMatrix: settings.colorMatrix ?? told?.colorMatrix ?? Self.sRGB,
            asShotNeutral: settings.asShotNeutral ?? told?.asShotNeutral ?? [1, 1, 1], blackLevel: black,
            whiteLevel: white)
    }
}

/// A sensor's samples as the camera delivered them: a packed frame of a mosaic.
public struct RawFrame: Hashable, Sendable {
    public var bytes: [UInt8]
    /// The format of its stream.
    public var format: VideoFormat
    /// What the camera tells of the samples; nil if nothing.
    public var color: SensorColor?

    public init(bytes: [UInt8], format: VideoFormat, color: SensorColor? = nil) {
        self.bytes = bytes
        self.format = format
        self.color = color
    }
}
