import CameraKit
import CaptureModel
import Spool

/// Arming: what a capture needs is looked at once, claimed, and then asked of camera and disk.
///
/// | step | waits for | afterwards |
/// |---|---|---|
/// | gather | microphone, a fresh frame | nothing is claimed: a repeat of the order may be faster |
/// | claim | nothing | the key is taken, and the camera where the capture needs it alone |
/// | resolve | the camera, where it is to be set or to leave its format | – |
/// | pin | nothing | the window's frames stay, and there is room for them |
/// | reserve | the disk | – |
/// | arm | nothing | the stream is still the one that was resolved |
extension PendingCaptures {
    /// How long arming waits for a good frame where the last one is too old: half of what a rig gives its cameras to arm
    /// (`docs/protocol/control.md`, Liveness).
    static let framePatience = Duration.milliseconds(500)

    /// - Parameter teller: Told of the capture's whole life, so that a repeat with one is refused.
    func arm(
        _ order: CaptureOrder, telling teller: CaptureTeller?
    ) async -> Result<ResolvedPhotoSettings, CaptureProblem> {
        while true {
            do throws(CaptureProblem) {
                if let known = try answer(to: order, telling: teller) { return .success(known) }
                let silence = try await gather(order)
                if let known = try answer(to: order, telling: teller) { return .success(known) }
                if claims[order.key] != nil {
                    await awaitClaim(of: order.key)
                    continue
                }
                try claim(order)
                return await carryOut(order, silence, teller)
            } catch {
                return .failure(error)
            }
        }
    }

    /// What was answered to the same order before; nil where the capture is not under way.
    private func answer(
        to order: CaptureOrder, telling teller: CaptureTeller?
    ) throws(CaptureProblem) -> ResolvedPhotoSettings? {
        guard
            let known = pending[order.key].map({ ($0.order, $0.resolved) }) ?? livePhotos.order(of: order.key)
                ?? movies.order(of: order.key)
        else { return nil }
        guard teller == nil else {
            throw CaptureProblem(.conflict, "\(device.id): a capture with this id is under way; use a fresh one")
        }
        guard known.0.time == order.time, known.0.settings == order.settings else {
            throw CaptureProblem(.conflict, "\(device.id): the shot is armed already with another T or other settings")
        }
        return known.1
    }

    // MARK: Gather

    /// Waits for what the claim is to look at.
    /// - Returns: Why a clip or movie would be silent; nil where it has sound, and where it needs none.
    private func gather(_ order: CaptureOrder) async throws(CaptureProblem) -> String? {
        try checkEnabled(order)
        // First, so that nothing waits between the look at the ring and the pinning of its frames.
        let isWithSound = order.settings.livePhoto != nil || order.settings.movie != nil
        let silence = isWithSound ? await session.services.silence() : nil
        await awaitFreshFrame(for: order.key)
        return silence
    }

    private func checkEnabled(_ order: CaptureOrder) throws(CaptureProblem) {
        guard order.key.device == device.id else {
            throw CaptureProblem(.notRunning, "\(order.key.device): another camera has taken its place in the session")
        }
        guard session.setup.isEnabled(.photo) else {
            throw CaptureProblem(
                .unsupportedSettings, "\(device.id): photos are supported and not enabled: no connection to that output"
            )
        }
    }

    /// Whether the last good frame is younger than two periods, plus the time a frame takes from exposure to the ring.
    private var isFresh: Bool {
        guard let newest = session.ring.newest else { return false }
        let delivery = newest.dequeued - newest.midExposure
        return session.clock.now() - newest.midExposure <= session.interval * 2 + delivery
    }

    /// Waits a while for a good frame where the last one is too old: what stood still for a moment, the camera or the machine,
    /// need not be given up for T. Returns at once where the camera does not run.
    private func awaitFreshFrame(for key: CaptureKey) async {
        let clock = session.clock
        guard session.isRunning, !isFresh else { return }
        let (alarm, limit) = (Alarm(clock: clock), clock.now() + Self.framePatience)
        frameAlarms[key] = alarm
        while session.isRunning, !isFresh, clock.now() < limit, !Task.isCancelled { await alarm.wait(until: limit) }
        frameAlarms[key] = nil
    }

    // MARK: Claim

    /// Makes key and camera the capture's own.
    /// - Throws: Why it cannot have them.
    private func claim(_ order: CaptureOrder) throws(CaptureProblem) {
        let needsCamera = order.settings.needsPreparation || isLarger(order.settings)
        // Before anything else, since a camera that is away for a still does not run.
        guard !isCameraTaken, !needsCamera || (claims.isEmpty && !session.isStreamNeeded) else {
            throw CaptureProblem(
                .conflict,
                "\(device.id): a capture with flash or bracket, or larger than the stream, overlaps with no other of the same camera; wait for the end of the one under way"
            )
        }
        try checkStream()
        if let movie = order.settings.movie { try movies.check(movie, isArmed: isMovieArmed) }
        claims[order.key] = CaptureClaim(order: order, hasCamera: needsCamera)
    }

    private func isLarger(_ settings: PhotoSettings) -> Bool {
        guard let wish = settings.maxPhotoDimensions, let stream = session.stream?.format else { return false }
        return wish != PixelSize(width: stream.width, height: stream.height)
    }

    private func checkStream() throws(CaptureProblem) {
        guard session.stream != nil, session.isRunning else {
            throw CaptureProblem(.notRunning, "\(device.id) is not streaming: \(session.stateDescription)")
        }
        guard !isFresh else { return }
        let last = session.ring.newest.map { "the last good frame is \(session.clock.now() - $0.midExposure) old" }
        throw CaptureProblem(
            .noRecentFrame,
            "\(device.id): \(last ?? "there is no good frame yet"), and none came within \(Self.framePatience); look at its counters"
        )
    }

    /// Whether a movie is being armed, or is armed and has no frame yet.
    var isMovieArmed: Bool {
        claims.values.contains { $0.order.settings.movie != nil }
            || pending.values.contains { $0.order.settings.movie != nil }
    }

    /// Returns when the capture is armed or refused that another order has claimed.
    private func awaitClaim(of key: CaptureKey) async {
        await withCheckedContinuation { waiter in
            if claims[key]?.waiters.append(waiter) == nil { waiter.resume() }
        }
    }

    // MARK: Resolve, pin, reserve, arm

    private func carryOut(
        _ order: CaptureOrder, _ silence: String?, _ teller: CaptureTeller?
    ) async -> Result<ResolvedPhotoSettings, CaptureProblem> {
        let outcome: Result<ResolvedPhotoSettings, CaptureProblem>
        do throws(CaptureProblem) {
            let capture = try await prepare(order, silence, teller)
            pending[order.key] = capture
            outcome = .success(capture.resolved)
        } catch {
            session.unpin(order.key)
            outcome = .failure(error)
        }
        let claim = claims.removeValue(forKey: order.key)
        for waiter in claim?.waiters ?? [] { waiter.resume() }
        guard case .success(let resolved) = outcome else { return outcome }
        switchAlarm.ring()
        lost[order.key] = nil
        await note(order.key, .armed(resolved))
        return outcome
    }

    private func prepare(
        _ order: CaptureOrder, _ silence: String?, _ teller: CaptureTeller?
    ) async throws(CaptureProblem) -> PendingCapture {
        var capture = try await resolve(order, silence)
        claims[order.key]?.hasCamera = capture.needsCamera
        let window = try window(of: order, capture.formatSwitch)
        session.pin(order.key, window: window.joined(with: capture.clip?.window))
        let byteCount = frameByteCount(of: capture.settings)
        try checkRoom(byteCount, of: order.key)
        let reservation = try await reserve(order, &capture.settings, byteCount)
        do throws(CaptureProblem) {
            try await livePhotos.reserve(order, &capture)
            // Before anything is set, so that an end of the process does not leave the camera so.
            if let plan = capture.plan { try await session.spool.keepControls(plan.undo, of: device.id) }
            try checkUnchanged(order, capture.settings)
        } catch {
            await giveBack(reservation, capture, order.key.device)
            throw error
        }
        // Without a clip after all, its window is let go.
        session.pin(order.key, window: window.joined(with: capture.clip?.window))
        return PendingCapture(order, capture, reservation, teller: teller)
    }

    private func giveBack(_ reservation: SpoolReservation, _ capture: ResolvedCapture, _ device: DeviceID) async {
        await session.spool.cancel(reservation)
        if let reservation = capture.clip?.reservation { await session.spool.cancel(reservation) }
        if capture.plan != nil, controls.areAsFound { await session.spool.forgetControls(of: device) }
    }

    /// The camera may have been stopped or exchanged while it and the disk were waited for.
    private func checkUnchanged(_ order: CaptureOrder, _ resolved: ResolvedPhotoSettings) throws(CaptureProblem) {
        guard order.key.device == device.id, session.isRunning, session.stream?.format == resolved.streamFormat else {
            throw CaptureProblem(
                .notRunning, "\(order.key.device): the camera was stopped or exchanged while it was armed")
        }
    }

    /// The frames among which that of T is chosen.
    private func window(
        of order: CaptureOrder, _ formatSwitch: PhotoFormatSwitch?
    ) throws(CaptureProblem) -> ClosedRange<LocalTime> {
        let rigClock = session.rigClock
        guard rigClock.clockID == order.rigClock, let time = rigClock.localTime(at: order.time) else {
            throw CaptureProblem(
                .unsynchronized, "\(device.id): the node is not synchronized with this rig time line yet")
        }
        let now = session.clock.now()
        let maximumLead = session.policy.maximumLead
        guard time - now <= maximumLead else {
            throw CaptureProblem(
                .tooFarAhead, "\(device.id): T is \(time - now) ahead, the limit is \(maximumLead)")
        }
        let interval = formatSwitch?.choice.format.frameInterval ?? session.interval
        if formatSwitch == nil, let oldest = session.ring.oldest, time < oldest.midExposure - interval {
            throw CaptureProblem(
                .beforeRing,
                "\(device.id): T is \(now - time) past, the ring reaches back \(now - oldest.midExposure)")
        }
        return time - interval * 2...time + interval * 2
    }

    /// Room for the still, and as much for a preview, which is never larger, and for a raw file; without room for the latter
    /// there is none, where the photo alone will do.
    private func reserve(
        _ order: CaptureOrder, _ resolved: inout ResolvedPhotoSettings, _ frameByteCount: Int
    ) async throws(CaptureProblem) -> SpoolReservation {
        if let movie = order.settings.movie { return try await movies.reserve(movie) }
        let source = photoSource(frameByteCount, resolved.photoFormat ?? resolved.streamFormat)
        let byteCount = Self.photoByteCount(ofFrame: source)
        let kinds = order.settings.assetKinds(hasRaw: resolved.raw != nil).filter { !$0.isMadeLater }
        let spool = session.spool
        do throws(CaptureProblem) {
            return try await spool.reserve(byteCount: byteCount * Int64(kinds.count))
        } catch {
            guard order.settings.raw == .withPhotoWhereEnabled, resolved.raw != nil else { throw error }
            let reservation = try await spool.reserve(byteCount: byteCount * Int64(kinds.count - 1))
            resolved.raw = nil
            resolved.rawProblem = CaptureProblem(error.code, "\(device.id): RAW cannot be had: \(error.message)")
            return reservation
        }
    }
}

extension ClosedRange {
    /// The smallest range that holds both.
    fileprivate func joined(with other: ClosedRange?) -> ClosedRange {
        guard let other else { return self }
        return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}
