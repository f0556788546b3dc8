import CameraKit
import CaptureModel
import DNG
import Spool

/// Whether the sensor's samples are available: supported, enabled, requested.
extension PendingCaptures {
    /// Announces the raw file in the resolved settings, or notes there why there is none.
    /// - Throws: `unsupportedSettings`, naming the level that is missing, if the request does not allow a capture
    ///   without a raw file.
    func resolveRaw(_ settings: PhotoSettings, _ resolved: inout ResolvedPhotoSettings) throws(RigProblem) {
        let format = resolved.photoFormat ?? resolved.streamFormat
        if case .bayer(_, let bits, _) = format.pixelFormat.family { try checkMosaic(settings, bits) }
        guard let request = settings.raw else {
            guard settings.rawThumbnail == nil else { throw raw("its thumbnail is requested, and no raw file") }
            return
        }
        do throws(RigProblem) {
            resolved.raw = try rawPhoto(settings, of: format)
        } catch {
            guard request == .withPhotoWhereEnabled else { throw error }
            resolved.rawProblem = error
        }
    }

    private func rawPhoto(
        _ settings: PhotoSettings, of format: VideoFormat
    ) throws(RigProblem) -> ResolvedRawPhoto? {
        if let reason = rawRefusal(of: format) { throw raw(reason) }
        guard settings.bracket == nil else { throw raw("not supported for a bracket; ask for one picture") }
        if session.stills != nil { return try cameraFile(settings) }
        guard case .bayer(_, let bits, _) = format.pixelFormat.family else { return nil }
        let size = PixelSize(width: format.width, height: format.height)
        return .samples(
            ResolvedSamples(
                dimensions: size, bits: bits,
                embeddedThumbnail: RawThumbnail.plan(settings.rawThumbnail, for: size, of: size)?.size))
    }

    /// Announces the raw file that the camera makes beside its JPEG image.
    private func cameraFile(_ settings: PhotoSettings) throws(RigProblem) -> ResolvedRawPhoto {
        guard settings.raw != .only else {
            throw raw("not supported without the photo: the camera makes it beside its JPEG image; ask for --raw+jpeg")
        }
        guard settings.rawThumbnail == nil else {
            throw raw("not supported with a thumbnail: the camera's own raw file is stored as it is; leave it out")
        }
        return .cameraFile
    }

    /// Whether photos can have a raw file, even if none is possible at this moment.
    var hasRaw: Bool {
        guard session.setup.input.raw.isEnabled else { return false }
        if let source = session.stills { return source.hasRawFiles }
        let known = session.stream?.format.pixelFormat ?? session.setup.format?.pixelFormat
        return known?.family.isMosaic != false
    }

    /// Returns why there are no raw files of a camera in this format; nil if there are.
    func rawRefusal(of format: VideoFormat) -> String? {
        if let source = session.stills {
            guard source.hasRawFiles else { return "not supported: the camera makes no raw files" }
            return session.setup.input.raw.isEnabled
                ? nil
                : "supported but not enabled: set the camera to RAW and JPEG, and `raw: true` in the device's configuration"
        }
        guard format.pixelFormat.family.isMosaic else {
            return
                "not supported: RAW needs a sensor's raw mosaic, and the camera delivers \(format.pixelFormat.rawValue); set format.pixelFormat to a Bayer format if it offers one, or ask for a larger still in one"
        }
        return session.setup.input.raw.isEnabled
            ? nil : "supported but not enabled: set `raw: true` in the device's configuration"
    }

    /// Checks for settings with which no picture can be developed.
    private func checkMosaic(_ settings: PhotoSettings, _ bits: Int) throws(RigProblem) {
        if let obstacle = developer.obstacle { throw RigProblem(.unsupportedSettings, "\(device.id): \(obstacle)") }
        do throws(RigProblem) {
            _ = try RawColor(session.setup.input.raw, nil, bits: bits)
        } catch {
            throw RigProblem(error.code, "\(device.id): \(error.message)")
        }
        guard settings.flash != .auto else {
            throw RigProblem(
                .unsupportedSettings,
                "\(device.id): flash auto is not supported for a raw mosaic, which is not metered; request on or off")
        }
    }

    private func raw(_ reason: String) -> RigProblem {
        RigProblem(.unsupportedSettings, "\(device.id): RAW is not possible: \(reason)")
    }
}

/// Pictures and raw files of cameras that deliver their sensor's mosaic.
extension PendingCaptures {
    /// Returns the picture of a frame. A mosaic is developed.
    /// - Returns: The picture, with the raw file if one was requested.
    func picture(
        of frame: RingFrame, _ capture: PendingCapture, _ timing: FrameTiming
    ) async throws(RigProblem) -> (PictureFrame, rawFile: Spool.NewFile?) {
        switch frame.payload {
        case .jpeg(let bytes): return (frame.with(bytes), nil)
        case .mosaic(let raw):
            let developed = try await developed(raw, capture, timing)
            return (frame.with(developed.jpeg), developed.rawFile.map { (.alternatePhoto, $0) })
        }
    }

    private func developed(
        _ frame: RawFrame, _ capture: PendingCapture, _ timing: FrameTiming
    ) async throws(RigProblem) -> DevelopedFrame {
        let (order, resolved) = (capture.order, capture.resolved)
        let composer = StillComposer(device: device, hardware: session.knowledge.hardware)
        let settings = order.settings
        do throws(RigProblem) {
            return try await developer.develop(
                DevelopingRequest(
                    frame: frame, settings: session.setup.input.raw,
                    needsPhoto: settings.raw != .only || settings.previewSize != nil,
                    quality: settings.quality ?? session.policy.quality, thumbnail: settings.rawThumbnail,
                    rawDescription: resolved.raw.map { _ in
                        composer.description(.alternatePhoto, order, resolved, timing)
                    }))
        } catch {
            throw RigProblem(error.code, "\(device.id): \(error.message)")
        }
    }
}
