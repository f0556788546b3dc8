import CameraKit
import CaptureModel
import DNG

/// Whether the sensor's samples can be had: supported, enabled, requested.
extension PendingCaptures {
    /// Announces the raw file in the resolved settings, or says there why there is none.
    /// - Throws: `unsupportedSettings`, naming the level that is missing, where the capture is refused without one.
    func resolveRaw(_ settings: PhotoSettings, _ resolved: inout ResolvedPhotoSettings) throws(CaptureProblem) {
        let format = resolved.photoFormat ?? resolved.streamFormat
        if case .bayer(_, let bits, _) = format.pixelFormat.family { try checkMosaic(settings, bits) }
        guard let request = settings.raw else { return }
        do throws(CaptureProblem) {
            resolved.raw = try rawPhoto(settings, of: format)
        } catch {
            guard request == .withPhotoWhereEnabled else { throw error }
            resolved.rawProblem = error
        }
    }

    private func rawPhoto(
        _ settings: PhotoSettings, of format: VideoFormat
    ) throws(CaptureProblem) -> ResolvedRawPhoto? {
        if let reason = rawRefusal(of: format) { throw raw(reason) }
        guard settings.bracket == nil else { throw raw("not supported of a bracket; ask for one picture") }
        guard case .bayer(_, let bits, _) = format.pixelFormat.family else { return nil }
        let size = PixelSize(width: format.width, height: format.height)
        return ResolvedRawPhoto(
            dimensions: size, bits: bits, embeddedThumbnail: RawThumbnail.plan(for: size, of: size).size)
    }

    /// Whether photos can have a raw file, whether or not one can be taken at this moment.
    var hasRaw: Bool {
        let known = session.stream?.format.pixelFormat ?? session.setup.format?.pixelFormat
        return session.setup.input.raw.isEnabled && known?.family.isMosaic != false
    }

    /// Why the samples of a format cannot be had; nil where they can.
    func rawRefusal(of format: VideoFormat) -> String? {
        guard format.pixelFormat.family.isMosaic else {
            return
                "not supported: RAW is made of a sensor's raw mosaic, and the camera delivers \(format.pixelFormat.rawValue); set format.pixelFormat to a Bayer format if it offers one"
        }
        return session.setup.input.raw.isEnabled
            ? nil : "supported and not enabled: set `raw: true` in the device's configuration"
    }

    /// What no picture can be developed with.
    private func checkMosaic(_ settings: PhotoSettings, _ bits: Int) throws(CaptureProblem) {
        do throws(CaptureProblem) {
            _ = try RawColour(session.setup.input.raw, bits: bits)
        } catch {
            throw CaptureProblem(error.code, "\(device.id): \(error.message)")
        }
        guard settings.flash != .auto else {
            throw CaptureProblem(
                .unsupportedSettings,
                "\(device.id): flash auto is not supported of a raw mosaic, which is not metered; ask for on or off")
        }
    }

    private func raw(_ reason: String) -> CaptureProblem {
        CaptureProblem(.unsupportedSettings, "\(device.id): RAW cannot be had: \(reason)")
    }
}
