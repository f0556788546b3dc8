import CameraKit
import CaptureModel
import ImageMetadata
import TurboJPEG

/// Makes a capture's pictures of the chosen frame: the still, which is the frame's own image data with metadata in front
/// of it, and the small ones that were asked for.
struct StillComposer: Sendable {
    /// Written into the EXIF tag Software.
    static let software = "Caprig"
    /// The longer side of an embedded thumbnail, or the side of a square one, at most, pixels: what EXIF readers expect.
    static let thumbnailSide = 160
    /// Encoder quality of small pictures: artefacts show less where nobody looks closely.
    private static let smallQuality = 80

    let device: DeviceDescription
    let hardware: CameraHardware

    /// The bytes of the still.
    /// - Parameter kind: Which picture of the capture it is.
    /// - Throws: ``CaptureProblem`` of code `corrupted`; frames in a ring are whole, so this is not expected.
    func compose(
        _ frame: PictureFrame, as kind: AssetKind = .photo, order: CaptureOrder, resolved: ResolvedPhotoSettings,
        timing: FrameTiming
    ) throws(CaptureProblem) -> [UInt8] {
        do {
            var exif = description(kind, order, resolved, timing)
            if let shape = order.settings.embedThumbnail { exif.thumbnail = try thumbnail(of: frame, resolved, shape) }
            return try JPEGRewriter.stillBytes(from: frame.jpeg.span, exif: exif)
        } catch {
            throw CaptureProblem(.corrupted, "\(device.id): the frame cannot become a still: \(error)")
        }
    }

    /// The bytes of the preview, upright like the still.
    /// - Throws: ``CaptureProblem`` of code `corrupted`, where the frame's image data cannot be decoded.
    func preview(
        _ frame: PictureFrame, limit: Int, order: CaptureOrder, resolved: ResolvedPhotoSettings, timing: FrameTiming
    ) throws(CaptureProblem) -> [UInt8] {
        let plan = ScalePlan(of: resolved.size, limit: limit, shape: .whole)
        do {
            let small = try JPEGScaler().apply(plan, to: frame.jpeg, quality: Self.smallQuality)
            return try JPEGRewriter.stillBytes(from: small.span, exif: description(.preview, order, resolved, timing))
        } catch {
            throw CaptureProblem(.corrupted, "\(device.id): the frame has no preview: \(error)")
        }
    }

    private func thumbnail(
        of frame: PictureFrame, _ resolved: ResolvedPhotoSettings, _ shape: ThumbnailShape
    ) throws -> EXIFThumbnail {
        let plan = ScalePlan(of: resolved.size, limit: Self.thumbnailSide, shape: shape)
        return try EXIFThumbnail(JPEGScaler().apply(plan, to: frame.jpeg, quality: Self.smallQuality))
    }

    /// What a file of the capture says about itself.
    func description(
        _ kind: AssetKind, _ order: CaptureOrder, _ resolved: ResolvedPhotoSettings, _ timing: FrameTiming
    ) -> EXIFDescription {
        let orientation = resolved.orientation.exifValue(isMirrored: resolved.mirrored ?? false)
        return EXIFDescription(
            make: device.make ?? hardware.make, model: device.model ?? hardware.model,
            bodySerialNumber: device.serial ?? hardware.serial,
            imageUniqueID: order.key.imageIdentifier(kind).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined(),
            software: Self.software,
            contentIdentifier: resolved.livePhoto == nil || !kind.isStill ? nil : order.key.contentIdentifier,
            imageDescription: "shot \(order.key.shot) camera \(device.id)",
            orientation: EXIFOrientation(rawValue: UInt16(orientation)) ?? .up,
            originalDate: EXIFTimestamp(
                realtimeNanoseconds: order.realtimeAtTime &+ timing.skewNanoseconds,
                utcOffsetMinutes: order.utcOffsetMinutes),
            exposureTime: timing.exposureNanoseconds.flatMap(EXIFRational.init(secondsFromNanoseconds:)),
            flash: order.settings.flash.map { EXIFFlash($0, isFired: resolved.isFlashUsed ?? false) })
    }
}

extension ResolvedPhotoSettings {
    /// The still's size.
    var size: PixelSize { PixelSize(width: width, height: height) }
}

extension EXIFFlash {
    /// What was asked for, and what became of it.
    init(_ mode: FlashMode, isFired: Bool) {
        switch mode {
        case .on: self = isFired ? .fired : .suppressed
        case .off: self = .suppressed
        case .auto: self = isFired ? .autoFired : .autoNotFired
        }
    }
}
