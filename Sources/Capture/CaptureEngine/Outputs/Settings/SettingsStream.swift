import CaptureModel

/// What is set when a stream is open that a transaction opens, before its first frame.
struct StreamOpening: Sendable {
    /// The settings whose values are set.
    var revision: SettingsID?
    /// Whether the frames have other settings than those before. Otherwise only the format is another one.
    var isChange = true
    /// One for each control that is set.
    var changes: [ControlChange]
    /// The last frame of the stream before.
    var last: FrameFacts?
    /// How setting them has ended; nil if the stream was not opened.
    var result: Result<CameraControls.Setting, RigProblem>?

    var values: [String: Int64] { Dictionary(changes.map { ($0.control, $0.new) }, uniquingKeysWith: { $1 }) }

    init(_ revision: SettingsID?, _ changes: [ControlChange]) { (self.revision, self.changes) = (revision, changes) }

    /// Puts back values, whatever the controls have.
    init(_ revision: SettingsID?, puttingBack values: [String: Int64]) {
        self.init(revision, values.map { ControlChange(control: $0.key, old: nil, new: $0.value) })
    }

    /// Leaves the controls as they are.
    static var unchanged: StreamOpening {
        var opening = StreamOpening(nil, [])
        opening.isChange = false
        return opening
    }
}

/// What is known of the change when a stream was opened again, beside what its frames show.
struct StreamReopening: Hashable, Sendable {
    /// The last frame of the stream before; nil if it may have had other values than the old ones.
    var lastOld: FrameFacts?
    /// Whether no earlier change of the controls was on its way into the pictures.
    var isSettled: Bool

    /// Returns a change with the frames of both streams. Every frame has the format of its stream, so that a change of
    /// nothing but the format is known.
    func completed(_ change: ObservedChangeover) -> ObservedChangeover {
        ObservedChangeover(
            evidence: change.evidence == .unchanged ? .metadata : change.evidence, lastOld: lastOld,
            firstNew: change.firstNew)
    }
}

/// Transactions that change the format or frame rate: the stream is closed at T, and opened again.
final class SettingsStream {
    private unowned let session: any SessionAccess
    private let controls: CameraControls
    private let captures: PendingCaptures
    private let desired: DesiredSettingsStore
    /// What is set when the stream is open that a transaction opens.
    private var opening: StreamOpening?
    /// The format that a transaction was the last to request; not kept when the agent ends.
    private var requested: StreamExchange?

    init(
        _ session: any SessionAccess, controls: CameraControls, captures: PendingCaptures,
        desired: DesiredSettingsStore
    ) {
        self.session = session
        self.controls = controls
        self.captures = captures
        self.desired = desired
    }

    private var device: DeviceID { session.device.id }

    func deviceExchanged() { requested = nil }

    /// Returns settings with the format of the stream if a transaction has requested it.
    func adding(to settings: CaptureSettings) -> CaptureSettings? {
        guard let requested, requested.isConfigured(in: session.setup.configuration),
            let stream = session.stream, requested.isFulfilled(by: stream)
        else { return settings }
        return settings.with(stream.agreedFormat)
    }

    // MARK: Who needs the stream

    /// Whether a transaction is closing the stream and opening it again.
    var isReopening: Bool {
        guard let active = controls.transactions.active, active.reopensStream else { return false }
        switch active.phase {
        case .reopening, .undoing: return true
        case .preparing, .prepared, .waiting, .setting, .confirming: return false
        }
    }

    /// Why the setup cannot be exchanged at present.
    private var setupObstacle: RigProblem? {
        guard session.isCommitting else { return nil }
        return RigProblem(
            .conflict, "\(device): another configuration of its session is being committed; try again when it has ended"
        )
    }

    /// Why the stream cannot be opened again at present.
    /// - Parameter output: The output that opens it.
    func obstacle(besides output: any CaptureOutput) -> RigProblem? {
        if let setupObstacle { return setupObstacle }
        guard session.isStreamNeeded(besides: output) || captures.isBeingArmed else { return nil }
        return RigProblem(
            .conflict,
            "\(device): a change of its format or frame rate opens its stream again, which would cut a capture, Live Photo or take that is armed or in progress; try again when it has ended"
        )
    }

    // MARK: At T

    /// Opens the stream in the requested format, and sets the controls before its first frame.
    /// - Returns: How the change is watched; nil if it has failed. Then the format before is configured again.
    func reopen(
        _ exchange: StreamExchange, _ prepared: PreparedSettings, of id: SettingsID
    ) async -> SettingsMachine.Confirmation? {
        // A configuration may have been begun since the transaction was committed.
        if let setupObstacle {
            controls.transactions.failed(id, setupObstacle)
            return nil
        }
        let isSettled = controls.isSettled
        let earlier = session.setup
        opening = StreamOpening(id, prepared.changes)
        defer { opening = nil }
        do throws(RigProblem) {
            var format = ConfiguredFormat()
            format.format = exchange.format
            let setting = try await open(format, fulfilling: exchange)
            controls.transactions.reopened(id)
            requested = exchange
            await desired.keep(setting.values, of: id, isWhole: false)
            // Delays are those of a format.
            let delays = controls.delays
            let changes = prepared.changes.map { change in
                var change = change
                change.new = setting.values[change.control] ?? change.new
                change.delay = delays[change.control]
                return change
            }
            let isOldKnown = isSettled || changes.isEmpty
            let watch = ChangeoverWatch(
                changes, began: setting.began, accepted: setting.accepted, interval: session.interval,
                newest: opening?.last, isOldKnown: isOldKnown)
            controls.transactions.accepted(
                id,
                SettingsMachine.Confirmation(
                    watch: watch, controls: setting.values,
                    reopening: StreamReopening(lastOld: isOldKnown ? opening?.last : nil, isSettled: isSettled)))
            return controls.transactions.confirmation(of: id)
        } catch {
            controls.transactions.failed(id, await returned(from: exchange, to: earlier, after: error, prepared, id))
            return nil
        }
    }

    /// Opens the format before again, with the controls before, after a failure.
    /// - Parameter earlier: The setup before, which counts if a format cannot be requested.
    /// - Returns: The failure, and what has become of the camera.
    private func returned(
        from exchange: StreamExchange, to earlier: SessionSetup, after problem: RigProblem,
        _ prepared: PreparedSettings, _ id: SettingsID
    ) async -> RigProblem {
        opening =
            opening?.result == nil
            ? .unchanged : StreamOpening(controls.revisions.replaced(by: id), puttingBack: prepared.undo)
        // Something else than the format may have been configured since.
        await session.reopen(with: (try? session.setup.requesting(exchange.earlier)) ?? earlier)
        let end: String
        switch opening?.result {
        case .success? where session.isRunning: end = "it is in its earlier format again, with its earlier settings"
        case .failure(let other)?: end = "it is in its earlier format again, and may be set: \(other.message)"
        default:
            end = "its earlier format is configured again, but it does not run at present: \(session.stateDescription)"
        }
        return RigProblem(problem.code, "\(problem.message); \(end)")
    }

    /// Opens the format before a transaction again, with the controls before it.
    func reopen(undoing exchange: StreamExchange, _ earlier: StreamOpening) async throws(RigProblem) {
        if let setupObstacle { throw setupObstacle }
        opening = earlier
        defer { opening = nil }
        _ = try await open(exchange.earlier, fulfilling: nil)
    }

    /// - Returns: How the controls were set.
    private func open(
        _ format: ConfiguredFormat, fulfilling exchange: StreamExchange?
    ) async throws(RigProblem) -> CameraControls.Setting {
        let setup: SessionSetup
        do throws(ConfigurationFailure) {
            setup = try session.setup.requesting(format)
        } catch {
            throw RigProblem(.unsupportedSettings, "\(device): \(error.cause)")
        }
        await session.reopen(with: setup)
        guard session.isRunning, let opened = session.stream else {
            throw RigProblem(
                .deviceLost, "\(device) does not run in the other format: \(session.stateDescription)")
        }
        if let exchange, !exchange.isFulfilled(by: opened) {
            throw RigProblem(.unsupportedSettings, "\(device) was opened in another format: \(opened.format)")
        }
        switch opening?.result {
        case .success(let setting)?: return setting
        case .failure(let problem)?: throw problem
        case nil: throw RigProblem(.deviceLost, "\(device) was not set: \(session.stateDescription)")
        }
    }

    /// Sets the controls of a stream that a transaction has opened, before its first frame.
    /// - Parameter last: The last frame of the stream before.
    /// - Returns: false if no transaction has opened it.
    func setOpened(after last: FrameFacts?) async -> Bool {
        guard var opening else { return false }
        opening.last = opening.last ?? last
        if opening.isChange {
            controls.revisions.begin(
                opening.revision, after: nil, exposures: opening.changes.exposures(interval: session.interval))
        }
        do throws(RigProblem) {
            opening.result = .success(try await controls.set(opening.values))
            if opening.isChange { controls.revisions.accepted() }
        } catch {
            opening.result = .failure(error)
        }
        self.opening = opening
        return true
    }
}
