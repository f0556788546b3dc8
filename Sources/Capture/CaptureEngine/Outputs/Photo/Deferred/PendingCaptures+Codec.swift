import CaptureModel

/// Whether the still can be had in another coding than JPEG.
extension PendingCaptures {
    /// - Parameter size: Of the still.
    /// - Returns: nil where JPEG alone is asked for.
    /// - Throws: `unsupportedSettings`, naming what stands against it.
    func deferredCodec(_ settings: PhotoSettings, of size: PixelSize) throws(CaptureProblem) -> PhotoCodec? {
        guard settings.codec == .heic else { return nil }
        let encoder = session.services.deferred.map(\.stillObstacle) ?? "this session has nothing to encode it with"
        guard let obstacle = Self.obstacleToHEIC(settings, of: size) ?? encoder else { return .heic }
        throw CaptureProblem(.unsupportedSettings, "\(device.id): HEIC is not supported: \(obstacle)")
    }

    /// Why no still of these settings and this size can be had in HEIC, whoever encodes it.
    static func obstacleToHEIC(_ settings: PhotoSettings, of size: PixelSize) -> String? {
        if settings.raw == .only { return "it is encoded of the photo, and `--raw` alone makes none" }
        if settings.bracket != nil { return "it is of one picture, and a bracket has several" }
        guard size.width % 2 == 0, size.height % 2 == 0 else {
            return "its colours have half the pixels of each side, and \(size) has an odd one"
        }
        return nil
    }
}
