import CameraKit
import CaptureModel
import PosixSupport

/// Changing what a session is made of.
extension CaptureSession {
    /// The session's configuration, to be changed and committed.
    public nonisolated func beginConfiguration() -> SessionConfiguration {
        setup.withLock { $0.configuration }
    }

    /// Takes a configuration over as a whole, or leaves the session as it was.
    ///
    /// Where input or format change while the camera is open, it is closed and the new one started; frames held so far
    /// are given up. What changes of the outputs alone needs neither. The session's events tell of the stop and start in
    /// between.
    /// - Returns: What has changed for the outputs, a sentence each.
    /// - Throws: ``ConfigurationFailure``. Where the new configuration does not come to run, the old one is started
    ///   again before this throws.
    @discardableResult
    public func commitConfiguration(_ configuration: SessionConfiguration) async throws(ConfigurationFailure)
        -> [String]
    {
        guard !isCommitting else { throw ConfigurationFailure(.begin, "another configuration is being committed") }
        isCommitting = true
        defer { isCommitting = false }
        let old = setup.withLock { $0 }
        let new = try await resolve(configuration, after: old)
        let before = OutputOptions(setup: old, stream: stream?.format, quality: policy.quality)
        if new.needsOtherHardware(than: old) { try await exchange(old, for: new) } else { setup.withLock { $0 = new } }
        await learnOffers()
        let after = OutputOptions(setup: new, stream: stream?.format, quality: policy.quality)
        return after.changes(since: before)
    }

    private func resolve(
        _ configuration: SessionConfiguration, after old: SessionSetup
    ) async throws(ConfigurationFailure) -> SessionSetup {
        guard configuration.revision == old.configuration.revision else {
            throw ConfigurationFailure(
                .begin, "the session was configured anew since this configuration began; begin again")
        }
        var setup = try SessionSetup(configuration.next())
        do throws(CameraError) {
            setup.format = try await format(of: setup.input, configuration.preset)
            return setup
        } catch {
            throw ConfigurationFailure(.resolvePreset, error.description)
        }
    }

    /// The format to ask of the camera, resolved where it has not been.
    func formatToAsk() async throws(CameraError) -> FormatRequest {
        let setup = setup.withLock { $0 }
        if let format = setup.format { return format }
        let format = try await format(of: setup.input, setup.configuration.preset)
        self.setup.withLock { $0.format = $0.format ?? format }
        return format
    }

    private func format(
        of input: CaptureDeviceInput, _ preset: SessionPreset
    ) async throws(CameraError) -> FormatRequest {
        if preset == .inputPriority { return input.format }
        let offers = try await input.device.camera.capabilities().formats
        guard let format = FormatResolution.resolve(preset, wish: input.format, offers: offers) else {
            throw CameraError(
                .unsupportedFormat, device: input.device.id.description, operation: "resolve the preset",
                reason: "it offers nothing that fulfils '\(preset.rawValue)'; choose another preset, or a format")
        }
        return format
    }

    /// Closes the hardware, exchanges the setup, and opens it again where it is wanted; back again where that fails.
    private func exchange(_ old: SessionSetup, for new: SessionSetup) async throws(ConfigurationFailure) {
        guard pending.isEmpty, !isRecordingClips else { throw ConfigurationFailure(.finishCaptures, underWay) }
        await reopen(with: new)
        // Not wanted: stopped, or on standby; then what is configured counts from the next start.
        guard machine.isWanted, !isRunning else { return }
        let cause = stateDescription
        await reopen(with: old)
        throw ConfigurationFailure(.start, cause, isRestored: isRunning || !machine.isWanted)
    }

    private var underWay: String {
        if recordingProgress != nil { return "\(device.id) records a movie; stop that first" }
        return capturesUnderWay.count == 1
            ? "\(device.id): a capture needs its frames; wait until it has ended"
            : "\(device.id): \(capturesUnderWay.count) captures need its frames; wait until they have ended"
    }

    private func reopen(with next: SessionSetup) async {
        await handle(.suspend)
        await settle()
        let isOtherDevice = setup.withLock { setup in
            defer { setup = next }
            return setup.input.device.id != next.input.device.id
        }
        ring.removeAll()
        lastGoodFrame = nil
        if isOtherDevice {
            counters = FrameCounters()
            hardware = CameraHardware()
            bus = nil
            knownOffers = nil
            reopening = ReopeningTime()
            settingsToUndo = [:]
        }
        await handle(.unsuspend)
        await settle()
    }
}

extension SessionSetup {
    /// Whether the camera has to be closed for this setup to count.
    fileprivate func needsOtherHardware(than old: SessionSetup) -> Bool {
        input.device.id != old.input.device.id || format != old.format
    }
}
