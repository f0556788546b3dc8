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
        let before = OutputOptions(setup: old, stream: stream?.format, quality: core.policy.quality)
        if new.needsOtherHardware(than: old) { try await exchange(old, for: new) } else { setup.withLock { $0 = new } }
        await core.learnOffers()
        let after = OutputOptions(setup: new, stream: stream?.format, quality: core.policy.quality)
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
            setup.format = try await setup.input.resolvedFormat(configuration.preset)
            return setup
        } catch {
            throw ConfigurationFailure(.resolvePreset, error.description)
        }
    }

    /// Closes the hardware, exchanges the setup, and opens it again where it is wanted; back again where that fails.
    private func exchange(_ old: SessionSetup, for new: SessionSetup) async throws(ConfigurationFailure) {
        guard !core.isStreamNeeded else { throw ConfigurationFailure(.finishCaptures, underWay) }
        await core.reopen(with: new)
        // Not wanted: stopped, or on standby; then what is configured counts from the next start.
        guard core.machine.isWanted, !core.isRunning else { return }
        let cause = core.stateDescription
        await core.reopen(with: old)
        throw ConfigurationFailure(.start, cause, isRestored: core.isRunning || !core.machine.isWanted)
    }

    private var underWay: String {
        if movies.progress != nil { return "\(device.id) records a movie; stop that first" }
        return capturesUnderWay.count == 1
            ? "\(device.id): a capture needs its frames; wait until it has ended"
            : "\(device.id): \(capturesUnderWay.count) captures need their frames; wait until they have ended"
    }
}
