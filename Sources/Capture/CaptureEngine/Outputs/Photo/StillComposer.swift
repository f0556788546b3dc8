import CameraKit
import CaptureModel
import ImageMetadata
import TurboJPEG

/// Makes a capture's pictures from the chosen frame: the still, which is the frame's own image data with metadata in
/// front of it, and the small pictures that were requested.
struct StillComposer: Sendable {
    /// Written into the EXIF tag Software.
    static let software = "Caprig"
    /// Limit on the longer side of an embedded thumbnail, or on the side of a square one, in pixels, as EXIF readers
    /// expect.
    static let thumbnailSide = 160
    /// Encoder quality of small pictures, in which artifacts are less visible.
    private static let smallQuality = 80

    let device: DeviceDescription
    let hardware: CameraHardware

    /// Returns the bytes of the still.
    /// - Parameter kind: The picture of the capture.
    /// - Throws: ``RigProblem`` with code `corrupted`. Frames in a ring are complete, so this is not expected.
    func compose(
        _ frame: PictureFrame, as kind: AssetKind = .photo, order: CaptureOrder, resolved: ResolvedPhotoSettings,
        timing: FrameTiming
    ) throws(RigProblem) -> [UInt8] {
        do {
            var exif = description(kind, order, resolved, timing)
            if let shape = order.settings.embedThumbnail { exif.thumbnail = try thumbnail(of: frame, resolved, shape) }
            return try JPEGRewriter.stillBytes(from: frame.jpeg.span, exif: exif)
        } catch {
            throw RigProblem(.corrupted, "\(device.id): the frame cannot become a still: \(error)")
        }
    }

    /// Returns the bytes of the preview, with the still's orientation.
    /// - Throws: ``RigProblem`` with code `corrupted` if the frame's image data cannot be decoded.
    func preview(
        _ frame: PictureFrame, limit: Int, order: CaptureOrder, resolved: ResolvedPhotoSettings, timing: FrameTiming
    ) throws(RigProblem) -> [UInt8] {
        let plan = ScalePlan(of: resolved.size, limit: limit, shape: .whole)
        do {
            let small = try JPEGScaler().apply(plan, to: frame.jpeg, quality: Self.smallQuality)
            return try JPEGRewriter.stillBytes(from: small.span, exif: description(.preview, order, resolved, timing))
        } catch {
            throw RigProblem(.corrupted, "\(device.id): the frame has no preview: \(error)")
        }
    }

    private func thumbnail(
        of frame: PictureFrame, _ resolved: ResolvedPhotoSettings, _ shape: ThumbnailShape
    ) throws -> EXIFThumbnail {
        let plan = ScalePlan(of: resolved.size, limit: Self.thumbnailSide, shape: shape)
        return try EXIFThumbnail(JPEGScaler().apply(plan, to: frame.jpeg, quality: Self.smallQuality))
    }

    /// Returns the metadata of a file of the capture.
    func description(
        _ kind: AssetKind, _ order: CaptureOrder, _ resolved: ResolvedPhotoSettings, _ timing: FrameTiming
    ) -> EXIFDescription {
        let orientation = resolved.orientation.exifValue(isMirrored: resolved.mirrored ?? false)
        return EXIFDescription(
            make: device.make ?? hardware.make, model: device.model ?? hardware.model,
            bodySerialNumber: device.bodySerialNumber(hardware.serial),
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

extension DeviceDescription {
    /// The serial number that the camera's files state, unique in the rig: that of the hardware, if it has one, and the device's id.
    ///
    /// Programs take pictures of one serial number for those of one camera and compute one lens for all of them. Some do so whatever the
    /// model is. But many cameras have no serial number, or that of all cameras of their model, and a node does not know the cameras of
    /// others. The device's id is always part of it: if it depended on the other cameras of the rig, the number of a camera would change
    /// when another one joins, and its pictures would be those of two cameras.
    ///
    /// The tag is ASCII, and hardware may claim any text. So of its number, the first ``serialNumberLimit`` printable characters of ASCII are
    /// written, without spaces around them. The id tells cameras apart whose numbers are then equal.
    func bodySerialNumber(_ hardwareSerial: String?) -> String {
        let printable = (serial ?? hardwareSerial ?? "").unicodeScalars.filter { (0x20...0x7E).contains($0.value) }
        let words = printable.drop { $0 == " " }.prefix(Self.serialNumberLimit).map { Character($0) }
        let end = words.lastIndex { $0 != " " }
        return end.map { "\(String(words[...$0])) \(id)" } ?? "\(id)"
    }

    /// The most characters of the hardware's number in ``bodySerialNumber(_:)``.
    static let serialNumberLimit = 64
}

extension ResolvedPhotoSettings {
    /// The still's size.
    var size: PixelSize { PixelSize(width: width, height: height) }
}

extension EXIFFlash {
    /// Creates the value from the requested mode and the outcome.
    init(_ mode: FlashMode, isFired: Bool) {
        switch mode {
        case .on: self = isFired ? .fired : .suppressed
        case .off: self = .suppressed
        case .auto: self = isFired ? .autoFired : .autoNotFired
        }
    }
}
