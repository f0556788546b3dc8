import CameraKit
import CaptureModel
import Sound
import Spool

/// Whether a capture has a clip, and which: supported, enabled, requested.
extension LivePhotoOutput {
    /// Announces the clip in the resolved settings, or says there why there is none or what it lacks.
    /// - Parameters:
    ///   - silence: Why it has no sound; nil where it has.
    ///   - count: Other captures that are armed or fired.
    /// - Returns: How it is to be made; nil where none is asked for, or none can be had and the photo alone will do.
    /// - Throws: Why it cannot be had, where it is required.
    func resolve(
        _ order: CaptureOrder, _ resolved: inout ResolvedPhotoSettings, _ silence: String?,
        capturesUnderWay count: Int
    ) throws(CaptureProblem) -> ClipPlan? {
        guard let request = order.settings.livePhoto else { return nil }
        if clipObstacle == nil, let obstacle = encoderObstacle(to: order.settings) {
            throw CaptureProblem(obstacle.code, "\(device.id): \(obstacle.message)")
        }
        do throws(CaptureProblem) {
            guard clips.count + count < PendingCaptures.limit else {
                throw CaptureProblem(
                    .noMemory,
                    "\(PendingCaptures.limit) captures and clips of the camera are under way, and more it cannot have; wait for one to end"
                )
            }
            if let obstacle = clipObstacle { throw obstacle }
            if let obstacle = clipObstacle(to: resolved) { throw obstacle }
            if let silence, session.policy.isClipSoundRequired {
                throw unsupported("its sound is required (`audio: required`), and there is none: \(silence)")
            }
            let window = try clipWindow(around: order)
            announce(window, around: order, &resolved, silence)
            resolved.livePhoto?.codec = order.settings.clipCodec
            resolved.livePhoto?.motionPhoto = order.settings.motionPhoto
            return ClipPlan(window: window)
        } catch {
            try giveUp(request, &resolved, because: error)
            return nil
        }
    }

    /// Where the photo alone will do, says so; else the capture is refused.
    private func giveUp(
        _ request: LivePhotoRequest, _ resolved: inout ResolvedPhotoSettings, because problem: CaptureProblem
    ) throws(CaptureProblem) {
        guard request == .whereEnabled else {
            throw CaptureProblem(problem.code, "\(device.id): a Live Photo cannot be had: \(problem.message)")
        }
        resolved.livePhoto = nil
        resolved.livePhotoNote = "no clip: \(problem.message)"
    }

    /// Why no capture of this session has a clip, as it stands; nil where captures can have one.
    var clipObstacle: CaptureProblem? {
        let limit = LivePhotoMovie.frameLimit * 1000 / Int(Self.clipLength.milliseconds)
        // A node whose cameras are all without clips has nothing to make them with, which is no reason of its own.
        guard session.services.clipMaker != nil || !session.policy.isLivePhotoEnabled else {
            return unsupported("not supported: this session has nothing to make clips with")
        }
        guard session.ring.newest?.isMosaic != true else {
            return unsupported("not supported: the frames of its stream are carried without pictures")
        }
        guard session.interval <= .milliseconds(500) else {
            return unsupported("not supported: its stream has less than two frames a second")
        }
        guard session.interval * LivePhotoMovie.frameLimit >= Self.clipLength else {
            return unsupported("not supported: its stream has more than \(limit) frames a second")
        }
        guard session.policy.isLivePhotoEnabled else {
            return unsupported("supported and not enabled: set `live: true` in the device's configuration")
        }
        guard session.policy.ringDepth >= LivePhotoMovie.ringDepth else {
            return unsupported(
                "supported and not enabled: `ring.depth` is \(session.policy.ringDepth), and a clip needs \(LivePhotoMovie.ringDepth)"
            )
        }
        return nil
    }

    func describe(_ condition: inout SessionCondition) {
        condition.livePhotosInProgress += clips.values.count { !$0.isRecorded }
        condition.abilities.live =
            if session.isRunning, let clipObstacle { .refused(clipObstacle.message) } else { condition.abilities.photo }
    }

    private static let clipLength = LivePhotoMovie.fullPreRoll + LivePhotoMovie.postRoll

    private func clipObstacle(to resolved: ResolvedPhotoSettings) -> CaptureProblem? {
        if resolved.bracketCount != nil { return unsupported("a bracket has none: its pictures differ in exposure") }
        if resolved.photoFormat != nil {
            return unsupported("a still larger than the stream has none: the camera is away from its stream for it")
        }
        return nil
    }

    /// Why no clip can be encoded or joined with its still, as the settings ask for.
    private func encoderObstacle(to settings: PhotoSettings) -> CaptureProblem? {
        guard settings.needsClipEncoder else { return nil }
        if settings.motionPhoto == true, settings.raw == .only {
            return unsupported("not supported: a motion photo is made of a photo, and `--raw` alone makes none")
        }
        guard let deferred = session.services.deferred else {
            return unsupported("not supported: this session has nothing to encode clips with")
        }
        return deferred.obstacle.map(unsupported)
    }

    private func unsupported(_ reason: String) -> CaptureProblem { CaptureProblem(.unsupportedSettings, reason) }

    /// From 1.5 s before T to 1.5 s after it. It begins later where the ring does not reach back so far, and where it has no
    /// room for more.
    private func clipWindow(around order: CaptureOrder) throws(CaptureProblem) -> ClosedRange<LocalTime> {
        guard let time = session.rigClock.localTime(at: order.time) else {
            throw CaptureProblem(.unsynchronized, "the node is not synchronized with this rig time line yet")
        }
        let end = time + LivePhotoMovie.postRoll
        let reach = session.ring.oldest.map { max($0.midExposure, time - LivePhotoMovie.fullPreRoll) } ?? time
        let start = min(reach, time)
        let room = ringTime
        let taken = session.ring.pinnedTime(with: start...end)
        guard taken > room else { return start...end }
        let shortest = session.ring.pinnedTime(with: time...end)
        guard shortest <= room else {
            throw CaptureProblem(
                .noMemory, "the ring of \(session.ring.byteLimit) bytes has no room for it; raise `ring.memory`")
        }
        return time - min(time - start, room - shortest)...end
    }

    /// How much time of the stream the ring has room for, a quarter more than the mean of its frames taken for each.
    private var ringTime: Duration {
        let frameByteCount = max(session.ring.meanByteCount, 1)
        return session.interval * (session.ring.byteLimit * 4 / 5 / frameByteCount)
    }

    private func announce(
        _ window: ClosedRange<LocalTime>, around order: CaptureOrder, _ resolved: inout ResolvedPhotoSettings,
        _ silence: String?
    ) {
        let time = session.rigClock.localTime(at: order.time) ?? window.lowerBound
        let preRoll = time - window.lowerBound
        var notes: [String] = []
        if preRoll < LivePhotoMovie.fullPreRoll - session.interval {
            notes.append(
                "the clip begins \(preRoll.milliseconds) ms before T instead of \(LivePhotoMovie.fullPreRoll.milliseconds): the frames in the ring reach back no further"
            )
        }
        if let silence { notes.append("the clip is silent: \(silence)") }
        resolved.livePhoto = LivePhotoMovie(
            dimensions: resolved.size, preRollNanoseconds: preRoll.nanoseconds,
            postRollNanoseconds: (window.upperBound - time).nanoseconds, hasSound: silence == nil)
        resolved.livePhotoNote = notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// Room for the clip; without it there is none, where the photo alone will do.
    func reserve(_ order: CaptureOrder, _ capture: inout ResolvedCapture) async throws(CaptureProblem) {
        guard let clip = capture.clip, let request = order.settings.livePhoto else { return }
        do throws(CaptureProblem) {
            let byteCount = await byteCount(of: clip, hasSound: capture.settings.livePhoto?.hasSound == true)
            capture.clip?.reservation = try await session.spool.reserve(byteCount: byteCount)
        } catch {
            capture.clip = nil
            try giveUp(request, &capture.settings, because: error)
        }
    }

    /// Room for a clip in the spool: its frames, for each what a movie has beside them, and its sound.
    private func byteCount(of plan: ClipPlan, hasSound: Bool) async -> Int64 {
        let length = plan.window.upperBound - plan.window.lowerBound
        let frames = Int64(length / max(session.interval, .milliseconds(1))) + 2
        let pictures = frames * (Int64(session.ring.meanByteCount) * 5 / 4 + 1024)
        guard hasSound, let clipSound = session.services.clipSound else { return pictures + 65_536 }
        return pictures + Int64(Double(await clipSound.bytesPerSecond()) * (length / .seconds(1))) + 65_536
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
