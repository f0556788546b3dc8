import CameraKit
import CaptureModel
import PosixSupport

/// Changing the configuration of a session.
extension CaptureSession {
    /// Returns the session's configuration, to be changed and committed.
    public nonisolated func beginConfiguration() -> SessionConfiguration {
        setup.withLock { $0.configuration }
    }

    /// Applies a configuration completely, or leaves the session as it was.
    ///
    /// If input or format change while the camera is open, it is closed and the new one started, and the frames held so
    /// far are dropped. Changes of the outputs alone need neither. The session's events report the stop and start in
    /// between.
    /// - Returns: The changes for the outputs, one sentence each.
    /// - Throws: ``ConfigurationFailure``. If the new configuration does not run, the old one is started again before
    ///   this throws.
    @discardableResult
    public func commitConfiguration(_ configuration: SessionConfiguration) async throws(ConfigurationFailure)
        -> [String]
    {
        guard !core.isCommitting else {
            throw ConfigurationFailure(.begin, "another configuration is being committed")
        }
        core.isCommitting = true
        defer { core.isCommitting = false }
        let old = setup.withLock { $0 }
        let new = try await resolve(configuration, after: old)
        try checkIsNotReopening(since: old)
        let before = OutputOptions(setup: old, stream: stream?.format, quality: core.policy.quality)
        if new.needsOtherHardware(than: old) { try await exchange(old, for: new) } else { setup.withLock { $0 = new } }
        await core.learnOffers()
        let after = OutputOptions(setup: new, stream: stream?.format, quality: core.policy.quality)
        return after.changes(since: before)
    }

    func resolve(
        _ configuration: SessionConfiguration, after old: SessionSetup
    ) async throws(ConfigurationFailure) -> SessionSetup {
        guard configuration.revision == old.configuration.revision else { throw Self.reconfigured }
        var setup = try SessionSetup(configuration.next())
        do throws(CameraError) {
            setup.format = try await setup.input.resolvedFormat(configuration.preset)
            return setup
        } catch {
            throw ConfigurationFailure(.resolvePreset, error.description)
        }
    }

    /// Closes the hardware, exchanges the setup, and opens it again if it is needed. Restores the old setup if that
    /// fails.
    private func exchange(_ old: SessionSetup, for new: SessionSetup) async throws(ConfigurationFailure) {
        try checkIsFree()
        await core.reopen(with: new)
        // Not needed: stopped, or on standby. Then the configuration takes effect at the next start.
        guard core.machine.isWanted, !core.isRunning else { return }
        let cause = core.stateDescription
        await core.reopen(with: old)
        throw ConfigurationFailure(.start, cause, isRestored: core.isRunning || !core.machine.isWanted)
    }

    /// - Throws: If captures need the camera in its present configuration.
    func checkIsFree() throws(ConfigurationFailure) {
        guard core.isStreamNeeded else { return }
        throw ConfigurationFailure(.finishCaptures, underWay)
    }

    /// - Throws: If a settings transaction exchanges the setup itself, or has done so since a setup was read.
    func checkIsNotReopening(since old: SessionSetup) throws(ConfigurationFailure) {
        guard !settings.isReopening else { throw ConfigurationFailure(.finishCaptures, underWay) }
        guard setup.withLock(\.configuration.revision) == old.configuration.revision else { throw Self.reconfigured }
    }

    private static var reconfigured: ConfigurationFailure {
        ConfigurationFailure(.begin, "the session was reconfigured after this configuration began; begin again")
    }

    private var underWay: String {
        if movies.progress != nil { return "\(device.id) records a movie; stop that first" }
        if capturesUnderWay.isEmpty {
            return "\(device.id) is being set by a settings transaction; wait until it has ended"
        }
        return capturesUnderWay.count == 1
            ? "\(device.id): a capture needs its frames; wait until it has ended"
            : "\(device.id): \(capturesUnderWay.count) captures need their frames; wait until they have ended"
    }
}

/// The effect of a configuration on the outputs, as text for people.
struct OutputOptions: Hashable, Sendable {
    private var device: DeviceID
    private var stream: String
    private var encoding: String
    private var orientation: String
    private var mirroring: String
    private var enabled: [String]

    /// - Parameter format: The format of the stream; nil if none runs.
    init(setup: SessionSetup, stream format: VideoFormat?, quality: Int) {
        device = setup.input.device.id
        stream = format?.description ?? "not known before it runs"
        encoding =
            switch format?.pixelFormat {
            case nil: "not known before it runs"
            case .mjpeg: "the camera's own JPEG"
            default: "JPEG of quality \(quality), encoded by the node"
            }
        orientation = setup.configuration.orientation.map { "\($0.rawValue) degrees" } ?? "none"
        mirroring = setup.configuration.isVideoMirrored == true ? "left and right exchanged" : "none"
        enabled = setup.configuration.connections.filter(\.isEnabled).map(\.output.rawValue).sorted()
    }

    /// Returns the differences from an earlier state, one sentence each.
    func changes(since old: OutputOptions) -> [String] {
        func change(_ what: String, _ old: String, _ new: String) -> String? {
            old == new ? nil : "\(what): \(old) → \(new)"
        }
        return [
            change("input", old.device.description, device.description), change("stream", old.stream, stream),
            change("stills", old.encoding, encoding), change("orientation", old.orientation, orientation),
            change("mirroring", old.mirroring, mirroring),
            change("outputs", old.enabled.joined(separator: ", "), enabled.joined(separator: ", ")),
        ].compactMap(\.self)
    }
}
