import CameraKit
public import CaptureModel
import Spool

extension CaptureSession {
    /// How many captures one camera has in progress at most.
    static let pendingLimit = 64

    /// Pins the frames around T and answers for them.
    ///
    /// Armed means: streaming, the last good frame younger than two periods (for which it waits, ``framePatience`` at most), T
    /// within the ring's reach and the longest lead, space for the still reserved in the spool, and the frames of the window
    /// pinned until the capture is fired, cancelled or expires. A repeat of the same order gives the same answer.
    /// - Returns: What the capture will be, or why there can be none.
    public func arm(_ order: CaptureOrder) async -> Result<ResolvedPhotoSettings, CaptureProblem> {
        await arm(order, telling: nil)
    }

    /// - Parameter teller: Told of the capture's whole life, so that a repeat with one is refused.
    func arm(
        _ order: CaptureOrder, telling teller: CaptureTeller?
    ) async -> Result<ResolvedPhotoSettings, CaptureProblem> {
        do {
            if let known = try repeated(order, telling: teller) { return .success(known) }
            var capture = try await resolve(order)
            // Another order for this shot may have been faster, here and below.
            guard !isUnderWay(order.key) else { return await arm(order, telling: teller) }
            let window = try window(of: order, capture.formatSwitch)
            ring.pin(order.key, window: window.joined(with: capture.clip?.window))
            let reservation = try await reserve(order, &capture.settings)
            try await reserveClip(order, &capture, beside: reservation)
            let resolved = capture.settings
            guard !isUnderWay(order.key) else {
                await cancel(reservation, capture.clip)
                return await arm(order, telling: teller)
            }
            do throws(CaptureProblem) {
                try checkUnchanged(order, resolved)
                try checkAlone(needsCamera: capture.needsCamera)
                if let movie = order.settings.movie { try checkMovie(movie) }
                // Others may have been armed while the spool made room.
                try checkRoom(frameByteCount(of: resolved))
            } catch {
                await cancel(reservation, capture.clip)
                throw error
            }
            // A slower order may have pinned its own window meanwhile.
            ring.pin(order.key, window: window.joined(with: capture.clip?.window))
            pending[order.key] = PendingCapture(
                order: order, resolved: resolved, plan: capture.plan, formatSwitch: capture.formatSwitch, clip: capture.clip,
                reservation: reservation, teller: teller)
            if let plan = capture.plan {
                do throws(CaptureProblem) {
                    // Before anything is set, so that an end of the process does not leave the camera so.
                    try await spool.keepControls(plan.undo, of: device.id)
                } catch {
                    await close(order.key, with: error)
                    throw error
                }
                guard pending[order.key] != nil else {
                    throw CaptureProblem(.cancelled, "\(device.id): the capture was given up while it was armed")
                }
            }
            switchAlarm.ring()
            lostCaptures[order.key] = nil
            await note(order.key, .armed(resolved))
            return .success(resolved)
        } catch let problem as CaptureProblem {
            if !isUnderWay(order.key) { ring.unpin(order.key) }
            return .failure(problem)
        } catch {
            return .failure(CaptureProblem(.inputOutput, "\(device.id): \(error)"))
        }
    }

    /// Gives the frames of a capture back; harmless where none is armed, and without effect once it is fired.
    public func cancel(_ key: CaptureKey) async {
        guard let capture = pending[key], !capture.isFired else { return }
        await close(key, with: CaptureProblem(.cancelled, "\(device.id): the shot was cancelled"))
    }

    /// Gives back the frames of shots that were never fired.
    func expirePending() async {
        await undoLeftSettings()
        for key in pending.keys {
            guard let capture = pending[key], !capture.isFired, hasExpired(capture.order) else { continue }
            await close(key, with: CaptureProblem(.expired, "\(device.id): the shot was armed and never fired"))
        }
    }

    /// On another rig time line than the order's, which ended with the coordinator's machine, no instant of it comes.
    private func hasExpired(_ order: CaptureOrder) -> Bool {
        guard let clockID = rigClock.clockID, let until = rigClock.localTime(at: order.pinnedUntil) else {
            return false
        }
        return clockID != order.rigClock || until < clock.now()
    }

    func close(_ key: CaptureKey, with problem: CaptureProblem?) async {
        ring.unpin(key)
        guard var capture = await remove(key) else { return }
        if let reservation = capture.clip?.reservation { await spool.cancel(reservation) }
        for step in capture.lifeCycle.handle(.ended(problem)) { await tell(key, capture.teller, step) }
        await releaseLingering()
    }

    /// Takes a capture out of those that need frames for a photo.
    func remove(_ key: CaptureKey) async -> PendingCapture? {
        guard let capture = pending.removeValue(forKey: key) else { return nil }
        // Whatever waits for its frames finds it gone.
        capture.alarm?.ring()
        capture.formatSwitch?.news.ring()
        switchAlarm.ring()
        await spool.cancel(capture.reservation)
        if capture.plan != nil, settingsToUndo.isEmpty { await spool.forgetControls(of: capture.order.key.device) }
        return capture
    }

    /// Whether the capture has frames pinned, for its photo or its clip.
    private func isUnderWay(_ key: CaptureKey) -> Bool { pending[key] != nil || clips[key] != nil }

    private func repeated(
        _ order: CaptureOrder, telling teller: CaptureTeller?
    ) throws -> ResolvedPhotoSettings? {
        guard
            let known = pending[order.key].map({ ($0.order, $0.resolved) })
                ?? clips[order.key].map({ ($0.order, $0.resolved) })
                ?? recordings[order.key].map({ ($0.order, $0.resolved) })
        else { return nil }
        guard teller == nil else {
            throw CaptureProblem(.conflict, "\(device.id): a capture with this id is under way; use a fresh one")
        }
        guard known.0.time == order.time, known.0.settings == order.settings else {
            throw CaptureProblem(.conflict, "\(device.id): the shot is armed already with another T or other settings")
        }
        return known.1
    }

    /// The frames among which that of T is chosen.
    private func window(
        of order: CaptureOrder, _ formatSwitch: PhotoFormatSwitch?
    ) throws(CaptureProblem) -> ClosedRange<LocalTime> {
        guard rigClock.clockID == order.rigClock, let time = rigClock.localTime(at: order.time) else {
            throw CaptureProblem(
                .unsynchronized, "\(device.id): the node is not synchronized with this rig time line yet")
        }
        let now = clock.now()
        guard time - now <= policy.maximumLead else {
            throw CaptureProblem(
                .tooFarAhead, "\(device.id): T is \(time - now) ahead, the limit is \(policy.maximumLead)")
        }
        let interval = formatSwitch?.choice.format.frameInterval ?? interval.value
        if formatSwitch == nil, let oldest = ring.oldest, time < oldest.midExposure - interval {
            throw CaptureProblem(
                .beforeRing,
                "\(device.id): T is \(now - time) past, the ring reaches back \(now - oldest.midExposure)")
        }
        return time - interval * 2...time + interval * 2
    }

    /// Room that is set aside for a still of the stream.
    var photoByteCount: Int64 { Self.photoByteCount(ofFrame: photoSource(ring.newest?.byteCount ?? 0, stream?.format)) }

    /// Room for a still made of a frame of `byteCount` bytes: half as much again, and its metadata.
    private static func photoByteCount(ofFrame byteCount: Int) -> Int64 { Int64(byteCount) * 3 / 2 + 65_536 }

    /// Bytes of the newest frame, or what it would have with more pixels.
    private func frameByteCount(of resolved: ResolvedPhotoSettings) -> Int {
        let stream = PixelSize(width: resolved.streamFormat.width, height: resolved.streamFormat.height)
        let enlargement = Double(resolved.size.pixelCount) / Double(max(stream.pixelCount, 1))
        return Int(Double(ring.newest?.byteCount ?? 0) * enlargement)
    }

    /// Which limit one more capture would be beyond, where its frames have so many bytes; nil where there is room. Five frames
    /// of each photo must fit into the ring.
    func captureShortage(_ frameByteCount: Int) -> String? {
        guard pending.count < Self.pendingLimit else {
            return "\(Self.pendingLimit) captures are under way, and more a camera cannot have; wait for one to end"
        }
        return (pending.count + 1) * 5 * frameByteCount <= ring.byteLimit ? nil : ringShortage
    }

    private var ringShortage: String {
        "the camera's ring of \(ring.byteLimit) bytes has no room for the frames of another shot; wait for one to end, or "
            + "raise `ring.memory`"
    }

    /// Beside that, all that is pinned must fit, of this capture too, where its frames are as large as the mean.
    private func checkRoom(_ frameByteCount: Int) throws(CaptureProblem) {
        let pinned = Int(ring.pinnedTime() / max(interval.value, .milliseconds(1)))
        let isRingFull = pinned * ring.meanByteCount > ring.byteLimit
        guard let shortage = captureShortage(frameByteCount) ?? (isRingFull ? ringShortage : nil) else { return }
        throw CaptureProblem(.noMemory, "\(device.id): \(shortage)")
    }

    /// Room for the still, and as much for a preview, which is never larger, and for a raw file; without room for the latter
    /// there is none, where the photo alone will do.
    private func reserve(
        _ order: CaptureOrder, _ resolved: inout ResolvedPhotoSettings
    ) async throws(CaptureProblem) -> SpoolReservation {
        let frameByteCount = frameByteCount(of: resolved)
        try checkRoom(frameByteCount)
        if let movie = order.settings.movie { return try await reserveMovie(movie) }
        let source = photoSource(frameByteCount, resolved.photoFormat ?? resolved.streamFormat)
        let byteCount = Self.photoByteCount(ofFrame: source)
        let kinds = order.settings.assetKinds(hasRaw: resolved.raw != nil).filter { !$0.isMadeLater }
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

    /// Bytes of what files are made of: a mosaic's samples, unpacked, or the frame itself.
    private func photoSource(_ frameByteCount: Int, _ format: VideoFormat?) -> Int {
        guard let format, format.pixelFormat.family.isMosaic else { return frameByteCount }
        return max(frameByteCount, format.width * format.height * 2)
    }

    /// Room for the clip; without it there is none, where the photo alone will do.
    private func reserveClip(
        _ order: CaptureOrder, _ capture: inout ResolvedCapture, beside reservation: SpoolReservation
    ) async throws(CaptureProblem) {
        guard let clip = capture.clip, let request = order.settings.livePhoto else { return }
        do throws(CaptureProblem) {
            let byteCount = await clipByteCount(clip, hasSound: capture.settings.livePhoto?.hasSound == true)
            capture.clip?.reservation = try await spool.reserve(byteCount: byteCount)
        } catch {
            capture.clip = nil
            do throws(CaptureProblem) {
                try giveUpClip(request, &capture.settings, because: error)
            } catch {
                await spool.cancel(reservation)
                throw error
            }
        }
    }

    private func cancel(_ reservation: SpoolReservation, _ clip: ClipPlan?) async {
        await spool.cancel(reservation)
        if let reservation = clip?.reservation { await spool.cancel(reservation) }
    }
}

extension ClosedRange {
    /// The smallest range that holds both.
    fileprivate func joined(with other: ClosedRange?) -> ClosedRange {
        guard let other else { return self }
        return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}
