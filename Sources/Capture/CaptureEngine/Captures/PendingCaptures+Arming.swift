import CameraKit
import CaptureModel
import Recording
import Spool

/// Arming: what a capture needs is checked once, claimed, and then requested from camera and disk.
///
/// | step | waits for | afterwards |
/// |---|---|---|
/// | gather | microphone, a fresh frame | nothing is claimed: a repeat of the order may be faster |
/// | claim | nothing | the key is reserved, and the camera if the capture needs it alone |
/// | resolve | the camera, if it must be set or must leave its format | – |
/// | pin | nothing | the window's frames stay, and there is room for them |
/// | reserve | the disk | – |
/// | arm | a camera that exposes at given instants: its acknowledgement | the stream is still the one that was resolved |
extension PendingCaptures {
    /// How long arming waits for a good frame if the last one is too old: half of the time that a rig gives its cameras
    /// to arm (`docs/protocol/control.md`, Liveness).
    static let framePatience = Duration.milliseconds(500)

    /// - Parameter sender: Receives all steps of the capture. A repeat with a sender is refused.
    func arm(
        _ order: CaptureOrder, telling sender: CaptureEventSender?
    ) async -> Result<ResolvedPhotoSettings, RigProblem> {
        while true {
            do throws(RigProblem) {
                if let known = try answer(to: order, telling: sender) { return .success(known) }
                let silence = try await gather(order)
                if let known = try answer(to: order, telling: sender) { return .success(known) }
                if list.isClaimed(order.key) {
                    await list.awaitClaim(of: order.key)
                    continue
                }
                try claim(order)
                return await carryOut(order, silence, sender)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Returns the earlier answer to the same order; nil if the capture is not in progress.
    private func answer(
        to order: CaptureOrder, telling sender: CaptureEventSender?
    ) throws(RigProblem) -> ResolvedPhotoSettings? {
        guard
            let known = list[order.key].map({ ($0.order, $0.resolved) }) ?? livePhotos.order(of: order.key)
                ?? movies.order(of: order.key)
        else { return nil }
        guard sender == nil else {
            throw RigProblem(.conflict, "\(device.id): a capture with this id is under way; use a fresh one")
        }
        guard known.0.time == order.time, known.0.settings == order.settings else {
            throw RigProblem(.conflict, "\(device.id): the shot is armed already with another T or other settings")
        }
        return known.1
    }

    // MARK: Gather

    /// Waits for what the claim checks.
    /// - Returns: Why a clip or movie would be silent; nil if it has sound, and if it needs none.
    private func gather(_ order: CaptureOrder) async throws(RigProblem) -> String? {
        try checkEnabled(order)
        // First, so that nothing waits between the check of the ring and the pinning of its frames.
        let isWithSound = order.settings.livePhoto != nil || order.settings.movie != nil
        let silence = isWithSound ? await session.services.silence() : nil
        await awaitFreshFrame(for: order.key)
        return silence
    }

    private func checkEnabled(_ order: CaptureOrder) throws(RigProblem) {
        guard order.key.device == device.id else {
            throw RigProblem(.notRunning, "\(order.key.device): another camera has replaced it in the session")
        }
        try checkIsEnabled()
    }

    func checkIsEnabled() throws(RigProblem) {
        guard session.setup.isEnabled(.photo) else {
            throw RigProblem(
                .unsupportedSettings, "\(device.id): photos are supported but not enabled: no connection to that output"
            )
        }
    }

    /// Whether a good frame has come within two periods. How long it took from its exposure to here does not count: on a busy machine the
    /// next ones are as late, and T waits for them. A camera without frames is always fresh.
    private var isFresh: Bool {
        if !session.hasFrames { return true }
        guard session.ring.newest != nil, let last = session.stream?.lastGoodFrame else { return false }
        return session.clock.now() - last <= session.interval * 2
    }

    /// Waits for a limited time for a good frame if the last one is too old, so that a short stall of the camera or the
    /// machine does not cost T. Returns at once if the camera does not run.
    private func awaitFreshFrame(for key: CaptureKey) async {
        let clock = session.clock
        guard session.isRunning, !isFresh else { return }
        let (alarm, limit) = (list.beginWaitToArm(key), clock.now() + Self.framePatience)
        while session.isRunning, !isFresh, clock.now() < limit, !Task.isCancelled { await alarm.wait(until: limit) }
        list.endWaitToArm(key)
    }

    // MARK: Claim

    /// Reserves key and camera for the capture.
    /// - Throws: Why it cannot have them.
    private func claim(_ order: CaptureOrder) throws(RigProblem) {
        try checkTaking(order)
        let needsCamera = try checkCamera(order.settings)
        try checkStream()
        if let movie = order.settings.movie { try movies.check(movie, isArmed: list.isMovieArmed) }
        list.claim(order, hasCamera: needsCamera)
    }

    /// - Returns: Whether the settings need the camera for themselves.
    /// - Throws: `conflict` if they cannot have it.
    @discardableResult
    func checkCamera(_ settings: PhotoSettings) throws(RigProblem) -> Bool {
        let needsCamera = settings.needsPreparation || isLarger(settings)
        if needsCamera, let conflict = controls.transactionInProgress { throw conflict }
        if let conflict = controls.reopeningInProgress { throw conflict }
        // Before anything else, because a camera that is away for a still does not run.
        guard !isCameraTaken, !needsCamera || (!isBeingArmed && !session.isStreamNeeded) else {
            throw RigProblem(
                .conflict,
                "\(device.id): a capture with flash or bracket, or larger than the stream, cannot overlap with another of the same camera; wait for the end of the one under way"
            )
        }
        return needsCamera
    }

    private func isLarger(_ settings: PhotoSettings) -> Bool {
        guard let wish = settings.maxPhotoDimensions, let stream = session.stream?.format else { return false }
        return wish != PixelSize(width: stream.width, height: stream.height)
    }

    func checkIsRunning() throws(RigProblem) {
        guard session.stream == nil || !session.isRunning else { return }
        throw RigProblem(.notRunning, "\(device.id) is not streaming: \(session.stateDescription)")
    }

    private func checkStream() throws(RigProblem) {
        try checkIsRunning()
        guard !isFresh else { return }
        let last = session.ring.newest.map {
            "the last good frame is \((session.clock.now() - $0.midExposure).text) old"
        }
        let why = session.stream?.complaint(at: session.clock.now())
        throw RigProblem(
            .noRecentFrame,
            "\(device.id): \(last ?? "it has not delivered a good frame"), and none arrived within \(Self.framePatience.text): \(why ?? "it is closed")"
        )
    }

    /// Whether any capture is being armed.
    var isBeingArmed: Bool { list.isBeingArmed }

    /// Whether a still or Live Photo is being armed, is armed, or still needs frames.
    var isStillInProgress: Bool { isBeingArmed || needsStream || livePhotos.needsStream }

    // MARK: Resolve, pin, reserve, arm

    private func carryOut(
        _ order: CaptureOrder, _ silence: String?, _ sender: CaptureEventSender?
    ) async -> Result<ResolvedPhotoSettings, RigProblem> {
        let outcome: Result<ResolvedPhotoSettings, RigProblem>
        do throws(RigProblem) {
            let capture = try await prepare(order, silence, sender)
            list.endClaim(of: order.key, with: capture)
            outcome = .success(capture.resolved)
        } catch {
            session.unpin(order.key)
            list.endClaim(of: order.key, with: nil)
            outcome = .failure(error)
        }
        guard case .success(let resolved) = outcome else { return outcome }
        switchRecord.ring()
        await note(order.key, .armed(resolved))
        return outcome
    }

    private func prepare(
        _ order: CaptureOrder, _ silence: String?, _ sender: CaptureEventSender?
    ) async throws(RigProblem) -> PendingCapture {
        var capture = try await resolve(order, silence)
        list.claimCamera(capture.needsCamera, for: order.key)
        let window = try window(of: order, capture.formatSwitch)
        session.pin(order.key, window: window.joined(with: capture.clip?.window))
        let byteCount = frameByteCount(of: capture.settings)
        try checkRoom(byteCount, of: order.key)
        let reservation = try await reserve(order, &capture.settings, byteCount)
        do throws(RigProblem) {
            try await livePhotos.reserve(order, &capture)
            // Before anything is set, so that an end of the process does not leave the camera changed.
            if let plan = capture.plan {
                let device = device.id
                try await session.spool.attempt { (spool) async throws(SpoolError) in
                    try await spool.keepControls(plan.undo, of: device)
                }
            }
            try checkUnchanged(order, capture.settings)
            // Last, because a camera cannot take it back.
            if let picture = try await scheduledPicture(of: order) {
                capture.picture = picture
                try checkUnchanged(order, capture.settings)
            }
        } catch {
            capture.picture?.giveUp()
            await cancelReservations(reservation, capture, order.key.device)
            throw error
        }
        // If the capture has no clip after all, its window is released.
        session.pin(order.key, window: window.joined(with: capture.clip?.window))
        return PendingCapture(order, capture, reservation, sender: sender)
    }

    private func cancelReservations(_ reservation: SpoolReservation, _ capture: ResolvedCapture, _ device: DeviceID)
        async
    {
        await session.spool.cancel(reservation)
        if let reservation = capture.clip?.reservation { await session.spool.cancel(reservation) }
        if capture.plan != nil, controls.areAsFound { await session.spool.forgetControls(of: device) }
    }

    /// Checks that the camera was not stopped or exchanged while it and the disk were awaited.
    private func checkUnchanged(_ order: CaptureOrder, _ resolved: ResolvedPhotoSettings) throws(RigProblem) {
        guard order.key.device == device.id, session.isRunning, session.stream?.format == resolved.streamFormat else {
            throw RigProblem(
                .notRunning, "\(order.key.device): the camera was stopped or replaced while it was being armed")
        }
    }

    /// Returns the window of frames from which the frame of T is chosen.
    private func window(
        of order: CaptureOrder, _ formatSwitch: PhotoFormatSwitch?
    ) throws(RigProblem) -> ClosedRange<LocalTime> {
        let rigClock = session.rigClock
        guard rigClock.clockID == order.rigClock, let time = rigClock.localTime(at: order.time) else {
            throw RigProblem(
                .unsynchronized, "\(device.id): the node is not synchronized with this rig time line yet")
        }
        let now = session.clock.now()
        let maximumLead = session.policy.maximumLead
        guard time - now <= maximumLead else {
            throw RigProblem(
                .tooFarAhead,
                "\(device.id): T is \((time - now - maximumLead).text) beyond the limit of \(maximumLead.text) in the future"
            )
        }
        let interval = formatSwitch?.choice.format.frameInterval ?? session.interval
        if formatSwitch == nil, let oldest = session.ring.oldest, time < oldest.midExposure - interval {
            throw RigProblem(
                .beforeRing,
                "\(device.id): T is \((now - time).text) in the past; the ring reaches back \((now - oldest.midExposure).text)"
            )
        }
        return time - interval * 2...time + interval * 2
    }

    /// Reserves room for the still, and as much for a preview, which is never larger, and for a raw file. Without room
    /// for the raw file there is none, if the photo alone is enough.
    private func reserve(
        _ order: CaptureOrder, _ resolved: inout ResolvedPhotoSettings, _ frameByteCount: Int
    ) async throws(RigProblem) -> SpoolReservation {
        if let movie = order.settings.movie { return try await movies.reserve(movie) }
        let source = photoSource(frameByteCount, resolved.photoFormat ?? resolved.streamFormat)
        let taken = session.stills?.byteCount
        func room(for kinds: [AssetKind]) -> Int64 {
            kinds.reduce(0) { room, kind in
                room + Self.photoByteCount(ofFrame: taken.map { kind.isRaw ? $0.raw : $0.photo } ?? source)
            }
        }
        let kinds = order.settings.assetKinds(hasRaw: resolved.raw != nil).filter { !$0.isMadeLater }
        let spool = session.spool
        do throws(RigProblem) {
            let byteCount = room(for: kinds)
            return try await spool.attempt { (spool) async throws(SpoolError) in
                try await spool.reserve(byteCount: byteCount)
            }
        } catch {
            guard order.settings.raw == .withPhotoWhereEnabled, resolved.raw != nil else { throw error }
            let byteCount = room(for: kinds.filter { !$0.isRaw })
            let reservation = try await spool.attempt { (spool) async throws(SpoolError) in
                try await spool.reserve(byteCount: byteCount)
            }
            resolved.raw = nil
            resolved.rawProblem = RigProblem(error.code, "\(device.id): RAW is not possible: \(error.message)")
            return reservation
        }
    }
}

extension ClosedRange {
    /// Returns the smallest range that contains both.
    fileprivate func joined(with other: ClosedRange?) -> ClosedRange {
        guard let other else { return self }
        return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}
