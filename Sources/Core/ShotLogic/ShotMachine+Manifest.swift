import CaptureModel

/// The journal: group commit, and what waits for it.
extension ShotMachine {
    /// The first manifest, one with a stop and a settled one are written at once. In between a crash loses nothing that the nodes'
    /// inventories do not bring back, so changes wait for one another up to `writeDelay`: the disk is for the pictures.
    mutating func writeManifestIfNeeded(at now: RigTime) {
        guard isDirty, writing == nil, writeRetry == nil, isWriteDue(at: now) else { return }
        writeDue = nil
        // Revision 0 is the first write; each further write is a revision of its own.
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

    mutating func manifestFailed(_ revision: Int, _ problem: CaptureProblem, at now: RigTime) {
        guard let written = writing, written.revision == revision else { return }
        writing = nil
        isDirty = true
        writeRetry = now + writeDelay.take()
        guard durableShot == nil else { return }
        abandon(problem, at: now)
    }

    /// Without a first manifest the shot may not happen. The client is told at once; the manifest is still tried, since
    /// the write that failed may yet be on the disk and would be resumed as open.
    private mutating func abandon(_ problem: CaptureProblem, at now: RigTime) {
        for index in shot.captures.indices where isAwaited(index) { miss(index, problem) }
        settle(at: now)
        answer(shot)
    }

    private mutating func startArming(at now: RigTime) {
        stage = .arming
        guard now < schedule.armDeadline else {
            let problem = CaptureProblem(
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

    /// Tells of a durable settled revision, first to the client and then to all.
    mutating func reportSettled() {
        guard let durableShot, durableShot.status != .open else { return }
        if answeredShot == nil { answer(durableShot) }
        guard settledRevision.map({ $0 < durableShot.revision }) ?? true else { return }
        settledRevision = durableShot.revision
        actions.append(.settled(durableShot))
    }

    /// Answers the client. Files it does not contain are late from here on.
    mutating func answer(_ shot: Shot) {
        guard answeredShot == nil else { return }
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
