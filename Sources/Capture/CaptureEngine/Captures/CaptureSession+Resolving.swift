import CameraKit
import CaptureModel

/// What a capture will be: the settings against what the camera can do and the configuration allows.
extension CaptureSession {
    /// - Returns: What the capture will be, and how the camera is set, or leaves its stream, for it, where it does.
    /// - Throws: Why there can be no such capture, naming the level that says so.
    func resolve(_ order: CaptureOrder) async throws(CaptureProblem) -> ResolvedCapture {
        try checkEnabled(order)
        // First, so that nothing waits between the look at the ring and the pinning of its frames.
        let isWithSound = order.settings.livePhoto != nil || order.settings.movie != nil
        let silence = isWithSound ? await clipSilence() : nil
        await awaitFreshFrame(for: order.key)
        // Before anything else, since a camera that is away for a still does not run.
        try checkAlone(needsCamera: order.settings.needsPreparation)
        var resolved = try resolveStream()
        if let movie = order.settings.movie {
            try checkMovie(movie)
            resolved.movie = ResolvedMovie(hasSound: silence == nil, note: silence.map { "the movie is silent: \($0)" })
            return ResolvedCapture(settings: resolved)
        }
        let larger = try await largerFormat(order.settings, beside: resolved.streamFormat)
        try checkAlone(needsCamera: order.settings.needsPreparation || larger != nil)
        resolved.take(larger?.format)
        try describe(&resolved, order.settings)
        try resolveRaw(order.settings, &resolved)
        resolved.codec = try deferredCodec(order.settings, of: resolved.size)
        let plan = try await plan(order.settings, interval: resolved.interval ?? interval.value, &resolved)
        let preparation = plan.map { _ in CapturePlan.lead(interval: resolved.interval ?? interval.value) }
        let formatSwitch = larger.map {
            PhotoFormatSwitch($0, reopening: reopening, preparation: preparation ?? .zero, clock: clock)
        }
        resolved.expectedGapNanoseconds = formatSwitch?.expectedGap.nanoseconds
        if let lead = formatSwitch?.lead ?? preparation { try checkLead(order, lead) }
        let clip = try resolveClip(order, &resolved, silence)
        return ResolvedCapture(settings: resolved, plan: plan, formatSwitch: formatSwitch, clip: clip)
    }

    /// How the camera is to be set; nil where it is left as it stands.
    private func plan(
        _ settings: PhotoSettings, interval: Duration, _ resolved: inout ResolvedPhotoSettings
    ) async throws(CaptureProblem) -> CapturePlan? {
        if settings.flash == .off { resolved.isFlashUsed = false }
        resolved.bracketCount = settings.bracket?.count
        guard settings.needsPreparation else { return nil }
        // What is read below is what will be put back, so it must not be what an earlier capture has set.
        await undoSettings()
        guard settingsToUndo.isEmpty else {
            throw CaptureProblem(
                .conflict, "\(device.id): what an earlier capture set cannot be put back yet; try again in a second")
        }
        let isLit = isToBeLit(settings)
        if settings.flash != nil { resolved.isFlashUsed = isLit }
        let plan = try CapturePlan(settings, isLit: isLit, interval: interval, controls: try await readControls())
        return plan.isNeeded ? plan : nil
    }

    private func checkEnabled(_ order: CaptureOrder) throws(CaptureProblem) {
        guard order.key.device == device.id else {
            throw CaptureProblem(.notRunning, "\(order.key.device): another camera has taken its place in the session")
        }
        guard connection(to: .photo)?.isEnabled == true else {
            throw CaptureProblem(
                .unsupportedSettings, "\(device.id): photos are supported and not enabled: no connection to that output"
            )
        }
    }

    /// Whether what was resolved still holds, after waits in which the camera may have been stopped or exchanged.
    func checkUnchanged(_ order: CaptureOrder, _ resolved: ResolvedPhotoSettings) throws(CaptureProblem) {
        guard order.key.device == device.id, isRunning, stream?.format == resolved.streamFormat else {
            throw CaptureProblem(
                .notRunning, "\(order.key.device): the camera was stopped or exchanged while it was armed")
        }
    }

    private func resolveStream() throws(CaptureProblem) -> ResolvedPhotoSettings {
        guard let format = stream?.format, isRunning else {
            throw CaptureProblem(.notRunning, "\(device.id) is not streaming: \(stateDescription)")
        }
        guard isFresh else {
            let last = ring.newest.map { "the last good frame is \(clock.now() - $0.midExposure) old" }
            throw CaptureProblem(
                .noRecentFrame,
                "\(device.id): \(last ?? "there is no good frame yet"), and none came within \(Self.framePatience); look at its counters"
            )
        }
        return ResolvedPhotoSettings(
            width: format.width, height: format.height, streamFormat: format,
            isCameraEncoded: format.pixelFormat == .mjpeg, orientation: device.orientation, mirrored: device.mirrored)
    }

    /// The pictures that are made of the frame.
    private func describe(_ resolved: inout ResolvedPhotoSettings, _ settings: PhotoSettings) throws(CaptureProblem) {
        // A mosaic is developed for the capture alone.
        let isMosaic = (resolved.photoFormat ?? resolved.streamFormat).pixelFormat.family.isMosaic
        if let quality = settings.quality, quality != policy.quality, !resolved.isCameraEncoded, !isMosaic {
            throw CaptureProblem(
                .unsupportedSettings,
                "\(device.id) encodes every frame once, with quality \(policy.quality); quality \(quality) cannot be had for one shot"
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
        case .auto: ring.newest?.picture.flatMap { LightMeter.meanLuma(of: $0.jpeg) }.map { $0 < LightMeter.darkness } ?? false
        }
    }

    private func readControls() async throws(CaptureProblem) -> CaptureControls {
        do throws(CameraError) {
            return CaptureControls(device: device.id, controls: try await stream?.controls() ?? [])
        } catch {
            throw CaptureProblem(.deviceLost, "\(device.id): its controls cannot be read: \(error.reason)")
        }
    }

    /// A capture for which the camera is set has it for itself: light and exposure of one would be in the other's picture.
    func checkAlone(needsCamera: Bool) throws(CaptureProblem) {
        let isTaken = machine.formatSwitch != nil || pending.values.contains(where: \.hasCamera)
        guard isTaken || (needsCamera && (!pending.isEmpty || isRecordingClips)) else { return }
        throw CaptureProblem(
            .conflict,
            "\(device.id): a capture with flash or bracket, or larger than the stream, overlaps with no other of the same camera; wait for the end of the one under way"
        )
    }

    private func checkLead(_ order: CaptureOrder, _ needed: Duration) throws(CaptureProblem) {
        guard let time = rigClock.localTime(at: order.time), time - clock.now() < needed else { return }
        throw CaptureProblem(
            .tooSoon,
            "\(device.id) needs \(needed) before T to be set for flash or bracket, or to leave its stream for a larger still, and T lies \(time - clock.now()) ahead; trigger with a longer --lead"
        )
    }
}
