public import CaptureModel
internal import ImageMetadata
internal import StorageKit

/// A stored file of a shot that small pictures are made of.
public struct PicturedFile: Hashable, Sendable {
    public let key: FileKey
    /// The day of the shot, `YYYY/MM/DD`.
    let day: String
    let source: PictureSource
    let orientation: EXIFOrientation
    /// As in the manifest; nil if that does not say it.
    let byteCount: Int64?

    /// - Returns: nil if the file is not stored, if another file of its capture represents it, or if it cannot be shown.
    public init?(_ file: CapturedFile, of capture: Capture, in shot: Shot) {
        self.init(file, of: capture, in: shot.id, day: ShotDay.name(of: shot))
    }

    /// - Parameter day: The day under which the library has the shot.
    init?(_ file: CapturedFile, of capture: Capture, in shot: ShotID, day: String) {
        let kinds = Set(capture.files.filter(\.isStored).map(\.kind))
        guard file.isStored, let source = PictureSource(file.kind, beside: kinds) else { return nil }
        key = FileKey(capture: CaptureKey(shot: shot, device: capture.device.id), kind: file.kind)
        self.day = day
        self.source = source
        orientation = EXIFOrientation(of: capture)
        byteCount = file.byteCount
    }
}

extension EXIFOrientation {
    /// The orientation of a capture's stored pixels.
    init(of capture: Capture) {
        let value = capture.resolved?.orientation.exifValue(isMirrored: capture.resolved?.mirrored ?? false) ?? 1
        self = EXIFOrientation(rawValue: UInt16(value)) ?? .up
    }
}
