import CameraKit
import CaptureModel

/// Resolving a capture: compares the settings with what the camera can do and the configuration allows.
extension PendingCaptures {
    /// - Parameter silence: Why a clip or movie would be silent; nil if it has sound.
    /// - Returns: The resolved capture, with its camera settings and its format switch, if any.
    /// - Throws: Why the capture is not possible, naming the level (supported, enabled or requested).
    func resolve(_ order: CaptureOrder, _ silence: String?) async throws(RigProblem) -> ResolvedCapture {
        var resolved = try resolveStream()
        if order.settings.movie != nil {
            resolved.movie = ResolvedMovie(hasSound: silence == nil, note: silence.map { "the movie is silent: \($0)" })
            return ResolvedCapture(settings: resolved)
        }
        let larger = try await resolvePictures(order.settings, &resolved)
        let interval = resolved.interval ?? session.interval
        let plan = try await plan(order.settings, interval: interval, &resolved)
        let preparation = plan.map { CapturePlan.lead(interval: interval, delay: $0.delay) }
        let formatSwitch = larger.map {
            PhotoFormatSwitch(
                $0, reopening: session.knowledge.reopening, preparation: preparation ?? .zero, clock: session.clock)
        }
        resolved.expectedGapNanoseconds = formatSwitch?.expectedGap.nanoseconds
        if let lead = formatSwitch?.lead ?? preparation { try checkLead(order, lead) }
        let others = list.count() - 1
        let clip = try livePhotos.resolve(order, &resolved, silence, capturesUnderWay: others)
        return ResolvedCapture(settings: resolved, plan: plan, formatSwitch: formatSwitch, clip: clip)
    }

    /// Resolves the still, the pictures that are made of it, and the raw file.
    /// - Returns: The format for which the camera leaves its stream, if any.
    func resolvePictures(
        _ settings: PhotoSettings, _ resolved: inout ResolvedPhotoSettings
    ) async throws(RigProblem) -> PhotoFormatChoice? {
        let larger = try await largerFormat(settings, beside: resolved.streamFormat)
        resolved.apply(larger?.format)
        try describe(&resolved, settings)
        try resolveRaw(settings, &resolved)
        resolved.codec = try deferredCodec(settings, of: resolved.size)
        return larger
    }

    /// Returns how far ahead T must be so that the camera can be set, or leave its stream, as the settings request;
    /// zero if the camera stays as it is.
    /// - Throws: Why the camera cannot do it.
    func lead(for settings: PhotoSettings) async throws(RigProblem) -> Duration {
        if let lag = session.stills?.lag ?? session.exposures?.lag { return lag + Self.askingTime }
        guard settings.needsPreparation || settings.maxPhotoDimensions != nil, let stream = session.stream?.format
        else { return .zero }
        let larger = try await largerFormat(settings, beside: stream)
        guard settings.needsPreparation || larger != nil else { return .zero }
        let frameInterval = larger?.format.frameInterval ?? session.interval
        let preparation =
            settings.needsPreparation
            ? CapturePlan.usualLead(
                interval: frameInterval, delay: CapturePlan.delay(of: settings, controls.delays)) : .zero
        let formatSwitch = larger.map {
            PhotoFormatSwitch(
                $0, reopening: session.knowledge.reopening, preparation: preparation, clock: session.clock)
        }
        return (formatSwitch?.lead ?? preparation) + Self.askingTime
    }

    /// Allowance for the time between choosing T and the check of its lead, in which the camera is asked for its
    /// controls.
    private static let askingTime = Duration.milliseconds(100)

    /// Returns the camera settings for the capture; nil if they are left unchanged.
    private func plan(
        _ settings: PhotoSettings, interval: Duration, _ resolved: inout ResolvedPhotoSettings
    ) async throws(RigProblem) -> CapturePlan? {
        if settings.flash == .off { resolved.isFlashUsed = false }
        resolved.bracketCount = settings.bracket?.count
        guard settings.needsPreparation else { return nil }
        // The values read below will be put back, so they must not be those that an earlier capture has set.
        await controls.putBack()
        guard controls.areAsFound else { throw controls.notPutBack }
        let isLit = isToBeLit(settings)
        if settings.flash != nil { resolved.isFlashUsed = isLit }
        let plan = try CapturePlan(
            settings, isLit: isLit, interval: interval, controls: try await controls.present(),
            delays: controls.delays)
        return plan.isNeeded ? plan : nil
    }

    func resolveStream() throws(RigProblem) -> ResolvedPhotoSettings {
        guard let format = session.stream?.format else {
            throw RigProblem(.notRunning, "\(device.id) is not streaming: \(session.stateDescription)")
        }
        return ResolvedPhotoSettings(
            width: format.width, height: format.height, streamFormat: format,
            isCameraEncoded: format.pixelFormat == .mjpeg, orientation: device.orientation, mirrored: device.mirrored)
    }

    /// Describes the pictures that are made of the frame.
    private func describe(_ resolved: inout ResolvedPhotoSettings, _ settings: PhotoSettings) throws(RigProblem) {
        // A mosaic is developed separately for the capture.
        let isMosaic = (resolved.photoFormat ?? resolved.streamFormat).pixelFormat.family.isMosaic
        if let quality = settings.quality, quality != session.policy.quality, !resolved.isCameraEncoded, !isMosaic {
            throw RigProblem(
                .unsupportedSettings,
                "\(device.id) encodes every frame once, with quality \(session.policy.quality); quality \(quality) cannot be used for one shot"
            )
        }
        let size = resolved.size
        resolved.thumbnail = settings.embedThumbnail.map {
            ScalePlan(of: size, limit: StillComposer.thumbnailSide, shape: $0).size
        }
        resolved.preview = settings.previewSize.map { ScalePlan(of: size, limit: $0, shape: .whole).size }
    }

    private func isToBeLit(_ settings: PhotoSettings) -> Bool {
        switch settings.flash {
        case .on: true
        case .off, nil: false
        case .auto:
            session.ring.newest?.picture.flatMap { LumaMeter.meanLuma(of: $0.jpeg) }.map { $0 < LumaMeter.darkness }
                ?? false
        }
    }

    private func checkLead(_ order: CaptureOrder, _ needed: Duration) throws(RigProblem) {
        guard let time = session.rigClock.localTime(at: order.time), time - session.clock.now() < needed else { return }
        throw RigProblem(
            .tooSoon,
            "\(device.id) needs \(needed.text) before T to be set for flash or bracket, or to leave its stream for a larger still, and T is \((time - session.clock.now()).text) ahead; trigger with a longer --lead"
        )
    }
}
