public import CaptureModel
import Recording
import Sound
import Spool

/// Decides whether a capture has a clip, and which one: supported, enabled, requested.
extension LivePhotoOutput {
    /// Announces the clip in the resolved settings, or notes there why there is none or what it lacks.
    /// - Parameters:
    ///   - silence: Why it has no sound; nil if it has sound.
    ///   - count: Number of other captures that are armed or fired.
    /// - Returns: The plan for the clip; nil if none is requested, or if none is possible and the photo alone is
    ///   enough.
    /// - Throws: Why a required clip is not possible.
    func resolve(
        _ order: CaptureOrder, _ resolved: inout ResolvedPhotoSettings, _ silence: String?,
        capturesUnderWay count: Int
    ) throws(RigProblem) -> ClipPlan? {
        guard let request = order.settings.livePhoto else { return nil }
        try checkEncoder(order.settings)
        do throws(RigProblem) {
            try checkClip(resolved, silence, capturesUnderWay: count)
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

    /// Checks as ``resolve(_:_:_:capturesUnderWay:)`` does, for any T.
    /// - Throws: Why a required clip is not possible.
    func check(
        _ settings: PhotoSettings, _ resolved: ResolvedPhotoSettings, _ silence: String?, capturesUnderWay count: Int
    ) throws(RigProblem) {
        guard let request = settings.livePhoto else { return }
        try checkEncoder(settings)
        do throws(RigProblem) {
            try checkClip(resolved, silence, capturesUnderWay: count)
        } catch {
            var resolved = resolved
            try giveUp(request, &resolved, because: error)
        }
    }

    /// Checks that the machine has what encodes a clip. The encoding was asked for by name: a camera that may take clips is refused without
    /// it, and does not take the photo alone.
    private func checkEncoder(_ settings: PhotoSettings) throws(RigProblem) {
        guard settings.needsClipEncoder, let obstacle = machineObstacle ?? encoderObstacle(to: settings) else { return }
        throw RigProblem(obstacle.code, "\(device.id): \(obstacle.message)")
    }

    /// Why this machine writes no clips of a camera that may take them; nil if it does, or if the camera may not.
    private var machineObstacle: RigProblem? {
        guard session.policy.isLivePhotoEnabled else { return nil }
        return session.services.clipMaker?.obstacle.map(unsupported)
    }

    private func checkClip(
        _ resolved: ResolvedPhotoSettings, _ silence: String?, capturesUnderWay count: Int
    ) throws(RigProblem) {
        guard clips.count + count < PendingCaptures.limit else {
            throw RigProblem(
                .noMemory,
                "\(PendingCaptures.limit) captures and clips of the camera are under way, which is its limit; wait for one to end"
            )
        }
        if let obstacle = clipObstacle { throw obstacle }
        if let obstacle = clipObstacle(to: resolved) { throw obstacle }
        if let silence, session.policy.isClipSoundRequired {
            throw unsupported("its sound is required (`audio: required`), but there is none: \(silence)")
        }
    }

    /// Notes why there is no clip if the photo alone is enough; otherwise refuses the capture.
    private func giveUp(
        _ request: LivePhotoRequest, _ resolved: inout ResolvedPhotoSettings, because problem: RigProblem
    ) throws(RigProblem) {
        guard request == .whereEnabled else {
            throw RigProblem(problem.code, "\(device.id): a Live Photo is not possible: \(problem.message)")
        }
        resolved.livePhoto = nil
        resolved.livePhotoNote = "no clip: \(problem.message)"
    }

    /// Why no capture of this session can have a clip in its present state; nil if captures can have one.
    var clipObstacle: RigProblem? {
        let limit = LivePhotoMovie.frameLimit * 1000 / Int(Self.clipLength.milliseconds)
        // A node whose cameras all have clips disabled has no clip maker; that is not a separate reason.
        guard session.services.clipMaker != nil || !session.policy.isLivePhotoEnabled else {
            return unsupported("not supported: this session cannot make clips")
        }
        if let obstacle = session.services.clipMaker?.obstacle { return unsupported(obstacle) }
        guard session.hasFrames else { return unsupported("not supported: the camera has no stream") }
        guard session.ring.newest?.isMosaic != true else {
            return unsupported("not supported: the frames of its stream contain no pictures")
        }
        guard session.interval <= .milliseconds(500) else {
            return unsupported("not supported: its stream has fewer than two frames per second")
        }
        guard session.interval * LivePhotoMovie.frameLimit >= Self.clipLength else {
            return unsupported("not supported: its stream has more than \(limit) frames per second")
        }
        guard session.policy.isLivePhotoEnabled else {
            return unsupported("supported but not enabled: set `live: true` in the device's configuration")
        }
        guard session.policy.ringDepth >= LivePhotoMovie.ringDepth else {
            return unsupported(
                "supported but not enabled: `ring.depth` is \(session.policy.ringDepth.text), and a clip needs \(LivePhotoMovie.ringDepth.text)"
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

    private func clipObstacle(to resolved: ResolvedPhotoSettings) -> RigProblem? {
        if resolved.bracketCount != nil { return unsupported("a bracket has none: its pictures differ in exposure") }
        if resolved.photoFormat != nil {
            return unsupported("a still larger than the stream has none: the camera interrupts its stream for it")
        }
        return nil
    }

    /// Returns why no clip can be encoded or joined with its still, as the settings request.
    private func encoderObstacle(to settings: PhotoSettings) -> RigProblem? {
        guard clipObstacle == nil else { return nil }
        if settings.motionPhoto == true, settings.raw == .only {
            return unsupported("not supported: a motion photo needs a photo, and `--raw` alone takes none")
        }
        guard let deferred = session.services.deferred else {
            return unsupported("not supported: this session has no encoder for clips")
        }
        return deferred.obstacle.map(unsupported)
    }

    private func unsupported(_ reason: String) -> RigProblem { RigProblem(.unsupportedSettings, reason) }

    /// Returns the window from 1.5 s before T to 1.5 s after it. It begins later if the ring does not reach back that
    /// far, or has no room for more.
    private func clipWindow(around order: CaptureOrder) throws(RigProblem) -> ClosedRange<LocalTime> {
        guard let time = session.rigClock.localTime(at: order.time) else {
            throw RigProblem(.unsynchronized, "the node is not synchronized with this rig time line yet")
        }
        let end = time + LivePhotoMovie.postRoll
        let reach = session.ring.oldest.map { max($0.midExposure, time - LivePhotoMovie.fullPreRoll) } ?? time
        let start = min(reach, time)
        let room = ringTime
        let taken = session.ring.pinnedTime(with: start...end)
        guard taken > room else { return start...end }
        let shortest = session.ring.pinnedTime(with: time...end)
        guard shortest <= room else {
            throw RigProblem(
                .noMemory, "the ring of \(session.ring.byteLimit) bytes has no room for it; raise `ring.memory`")
        }
        return time - min(time - start, room - shortest)...end
    }

    /// The duration of the stream for which the ring has room, assuming frames a quarter larger than the mean.
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
                "the clip begins \(preRoll.milliseconds) ms before T instead of \(LivePhotoMovie.fullPreRoll.milliseconds): the ring has no older frames"
            )
        }
        if let silence { notes.append("the clip is silent: \(silence)") }
        resolved.livePhoto = LivePhotoMovie(
            dimensions: resolved.size, preRollNanoseconds: preRoll.nanoseconds,
            postRollNanoseconds: (window.upperBound - time).nanoseconds, hasSound: silence == nil)
        resolved.livePhotoNote = notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// Reserves room for the clip. Without room there is no clip, if the photo alone is enough.
    func reserve(_ order: CaptureOrder, _ capture: inout ResolvedCapture) async throws(RigProblem) {
        guard let clip = capture.clip, let request = order.settings.livePhoto else { return }
        do throws(RigProblem) {
            let byteCount = await byteCount(of: clip, hasSound: capture.settings.livePhoto?.hasSound == true)
            capture.clip?.reservation = try await session.spool.attempt { (spool) async throws(SpoolError) in
                try await spool.reserve(byteCount: byteCount)
            }
        } catch {
            capture.clip = nil
            try giveUp(request, &capture.settings, because: error)
        }
    }

    /// Returns the bytes of a clip in the spool: its frames, the movie's overhead for each, and its sound.
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

/// A clip that is durable in the spool.
public struct LivePhotoMovieFile: Hashable, Sendable {
    public var file: SpooledFile
    /// Its path until the library has it.
    public var path: String
    /// Duration in nanoseconds.
    public var durationNanoseconds: Int64
    /// Position of the photo in the clip, in nanoseconds from its start; after AVFoundation's `photoDisplayTime`.
    public var photoDisplayNanoseconds: Int64
    /// Number of frames.
    public var frameCount: Int

    init(_ file: SpooledFile, path: String, timing: ClipTiming) {
        self.file = file
        self.path = path
        durationNanoseconds = timing.durationNanoseconds
        photoDisplayNanoseconds = timing.photoDisplayNanoseconds
        frameCount = timing.frameOffsets.count
    }
}
