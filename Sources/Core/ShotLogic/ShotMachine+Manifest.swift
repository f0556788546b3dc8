public import CaptureModel

/// The journal: group commit, and the work that waits for it.
extension ShotMachine {
    /// Writes the manifest if needed. The first manifest, one with a stop and a settled one are written at once. In
    /// between, a crash loses nothing that the nodes' inventories do not restore, so changes are collected for up to
    /// `writeDelay`, because the pictures need the disk.
    mutating func writeManifestIfNeeded(at now: RigTime) {
        guard isDirty, writing == nil, writeRetry == nil, isWriteDue(at: now) else { return }
        writeDue = nil
        // Revision 0 is the first write. Each further write is another revision.
        if hasWritten || durableShot != nil, shot.revision < .max { shot.revision += 1 }
        hasWritten = true
        isDirty = false
        writing = shot
        actions.append(.writeManifest(shot))
    }

    private mutating func isWriteDue(at now: RigTime) -> Bool {
        if durableShot == nil || shot.status != .open || shot.take?.stopTime != nil && !hasToldStop { return true }
        let due = writeDue ?? now + schedule.writeDelay
        writeDue = due
        return due <= now
    }

    mutating func manifestDurable(_ revision: Int, at now: RigTime) {
        guard let written = writing, written.revision == revision else { return }
        writing = nil
        writeDelay.reset()
        durableShot = written
        if stage == .recording { startArming(at: now) }
        releaseStored(in: written)
        answerIfTimedOut(at: now)
    }

    mutating func manifestFailed(_ revision: Int, _ problem: RigProblem, at now: RigTime) {
        guard let written = writing, written.revision == revision else { return }
        writing = nil
        isDirty = true
        writeRetry = now + writeDelay.advance()
        guard durableShot == nil else { return }
        abandon(problem, at: now)
    }

    /// Ends a shot whose first manifest could not be written. The client is answered at once. The manifest is still
    /// retried, because the failed write may be on the disk and would be resumed as open.
    private mutating func abandon(_ problem: RigProblem, at now: RigTime) {
        for index in shot.captures.indices where isAwaited(index) { miss(index, problem) }
        updateStatus(at: now)
        answer(shot)
    }

    private mutating func startArming(at now: RigTime) {
        stage = .arming
        guard now < schedule.armDeadline else {
            let problem = RigProblem(
                .inputOutput,
                "The coordinator's journal took longer than the time for arming; check its disk. Nothing was fired.")
            for index in shot.captures.indices where isAwaited(index) { miss(index, problem) }
            return
        }
        sendPrepare(to: reachable(in: .preparing), at: now)
    }

    private mutating func releaseStored(in durable: Shot) {
        for capture in durable.captures {
            for file in capture.files {
                let key = key(capture, file.kind)
                if file.isStored, let digest = file.digest, released.insert(key).inserted {
                    actions.append(.release(key, digest))
                } else if file.isToldFailed, capture.timing != nil, forgotten.insert(key).inserted {
                    actions.append(.forget(key))
                }
            }
        }
    }

    /// Reports a durable settled revision, first to the client and then to all.
    mutating func reportFinished() {
        guard let durableShot, durableShot.status != .open else { return }
        if answeredShot == nil { answer(durableShot) }
        guard settledRevision.map({ $0 < durableShot.revision }) ?? true else { return }
        settledRevision = durableShot.revision
        actions.append(.finished(durableShot))
    }

    /// Answers the client. Files that the answer does not contain are late from here on.
    mutating func answer(_ shot: Shot) {
        guard answeredShot == nil else { return }
        showProgress()
        answeredShot = shot
        actions.append(.answer(shot))
        for index in self.shot.captures.indices { markLate(index, unlessIn: shot.captures[index]) }
    }

    private mutating func markLate(_ index: Int, unlessIn told: Capture) {
        let inTime = Set(told.files.filter { $0.outcome == .done }.map(\.kind))
        change(index) { capture in
            for file in capture.files.indices
            where capture.files[file].outcome == .done && !inTime.contains(capture.files[file].kind) {
                capture.files[file].outcome = .late
            }
        }
    }
}

/// Takes: shots whose captures are recordings, which owe their files until the take is stopped.
extension ShotMachine {
    /// When the recordings end, when nodes may learn of it.
    public var toldStop: RigTime? { hasToldStop ? shot.take?.stopTime : nil }

    /// Stops a take. The first instant counts. If it is not after T, nothing is recorded, so the take is cancelled.
    mutating func stop(at time: RigTime) {
        guard shot.status == .open, shot.take != nil, shot.take?.stopTime == nil else { return }
        shot.take?.stopTime = time
        isDirty = true
        for index in shot.captures.indices {
            let capture = shot.captures[index]
            let movie = noted(capture.movie, in: capture.resolved?.streamFormat)
            change(index) { $0.movie = movie }
        }
        guard time > shot.time else { return cancelAll(because: "it was stopped before it began") }
    }

    /// Sends a stop to nodes when it is durable: after a crash, the instant at which they ended would be unknown. If
    /// the disk takes longer than until that instant, the stop is sent anyway, so that the recordings do not continue.
    mutating func tellStop(at now: RigTime) {
        guard !hasToldStop, let stop = shot.take?.stopTime, durableShot?.take?.stopTime != nil || stop <= now else {
            return
        }
        hasToldStop = true
        actions.append(.stopped(stop))
        guard stage == .resolving else { return }
        actions += byNode(owing).map { .fire($0.node, $0.devices) }
        sendFire(to: reachable(in: .armed), at: now)
    }

    /// Reports each mark when it is durable.
    mutating func tellMarks() {
        guard let marks = durableShot?.take?.marks else { return }
        actions += marks.dropFirst(toldMarks).map { .marked($0) }
        toldMarks = marks.count
    }

    mutating func reportBeginning() {
        guard !hasToldBeginning, let durableShot, durableShot.hasBegunRecording else { return }
        hasToldBeginning = true
        actions.append(.began(durableShot))
    }

    /// Sets a mark once for each id, at most ``Take/markLimit``.
    mutating func set(_ mark: TakeMark) {
        guard let marks = shot.take?.marks, marks.count < Take.markLimit, !marks.contains(where: { $0.id == mark.id })
        else { return }
        shot.take?.marks.append(mark)
        isDirty = true
    }
}

extension ShotMachine {
    /// Returns a recording's data with a note on how far from the stop it ends, which only the take knows. A node that
    /// was not connected may have learned of the stop too late, or of an earlier stop that no disk kept.
    func noted(_ movie: RecordedMovie?, in format: VideoFormat?) -> RecordedMovie? {
        guard var movie, movie.note == nil, let stop = shot.take?.stopTime else { return movie }
        let left = stop - (shot.time + .nanoseconds(movie.durationNanoseconds))
        if left < .zero - RecordedMovie.timeUnit {
            let ended = ", or which is by the wall clock, since the rig time line of its take has ended"
            let reason = "which its node had not received in time" + (isTimeValid ? "" : ended)
            movie.note = "its last frame is \((.zero - left).text) after the stop, \(reason)"
        } else if isTimeValid, movie.end == .stopped, movie.frameCount > 0, left > movie.usualInterval(in: format) * 2 {
            movie.note = "its last frame is \(left.text) before the stop"
        }
        return movie
    }
}

extension RecordedMovie {
    /// The largest error of a duration, because a movie's times are in 1/90 000 s.
    fileprivate static let timeUnit = Duration.microseconds(12)

    /// Returns the usual time from frame to frame. A single frame uses its camera's format.
    fileprivate func usualInterval(in format: VideoFormat?) -> Duration {
        guard frameCount > 1 else { return format?.frameInterval ?? .zero }
        let (frames, isTooMany) = frameCount.addingReportingOverflow(missingFrames)
        return isTooMany ? .zero : .nanoseconds(durationNanoseconds / Int64(max(1, frames - 1)))
    }
}

extension Capture {
    /// Adds the files of each segment of a recording when its node first reports it.
    mutating func expectSegments(of report: CaptureReport) {
        guard phase == .captured, files.contains(where: \.kind.isMovie) else { return }
        let known = Set(files.map(\.kind))
        let segments = Set((report.files.map(\.kind) + report.owed + report.failed.map(\.kind)).compactMap(\.segment))
        let further = segments.sorted().flatMap(AssetKind.ofRecording).filter { !known.contains($0) }
        files += further.map { CapturedFile(kind: $0) }
    }
}

extension Shot {
    /// Whether it is a take in which every camera records, has recorded, or has reported that it does not.
    public var hasBegunRecording: Bool {
        take != nil && captures.allSatisfy { $0.phase != .preparing && $0.phase != .armed }
    }
}
