import CaptureModel

/// Outcomes of files, and what follows for their captures and the shot.
extension ShotMachine {
    mutating func stored(_ key: FileKey, path: String, at instant: RigTime) {
        guard let (index, file) = locate(key) else { return }
        let known = shot.captures[index].files[file]
        // A digest shows that there was a report; a file that failed before may still arrive.
        guard known.digest != nil, known.outcome == .pending || known.outcome == .failed else { return }
        let outcome: CapturedFile.Outcome = answeredShot == nil ? .done : .late
        change(index) { capture in
            capture.files[file].outcome = outcome
            capture.files[file].problem = nil
            capture.files[file].path = path
            capture.files[file].storedAt = instant
        }
        finish(index)
    }

    mutating func storingFailed(_ key: FileKey, _ problem: CaptureProblem) {
        guard let (index, file) = locate(key), shot.captures[index].files[file].outcome == .pending,
            shot.captures[index].phase == .captured
        else { return }
        change(index) { capture in
            capture.files[file].outcome = .failed
            capture.files[file].problem = problem
        }
        finish(index)
    }

    /// What the library has stays done; whatever else was missing of the capture cannot come any more.
    mutating func discarded(_ device: DeviceID, _ problem: CaptureProblem) {
        guard let index = indices[device], !isAwaited(index),
            shot.captures[index].phase != .missed || isProvisional(index)
        else { return }
        let lost = shot.captures[index].files.indices.filter { !shot.captures[index].files[$0].isStored }
        guard !lost.isEmpty else { return }
        change(index) { capture in
            for file in lost {
                capture.files[file].outcome = .failed
                capture.files[file].problem = problem
            }
        }
        finish(index)
    }

    /// Gives a capture its outcome once every file has one.
    mutating func finish(_ index: Int) {
        let capture = shot.captures[index]
        guard !capture.files.contains(where: { $0.outcome == .pending }) else { return }
        let failed = capture.requiredFiles.first { !$0.isStored } ?? capture.files.first { !$0.isStored }
        let short = capture.files.lazy.compactMap(\.shortfall).first ?? capture.movie?.problem
        change(index) { capture in
            capture.phase = capture.derivedPhase
            capture.problem = failed?.problem ?? short
        }
    }

    /// Keeps status and settling time true to the captures.
    mutating func settle(at now: RigTime) {
        let status = shot.derivedStatus
        if status != shot.status {
            shot.status = status
            isDirty = true
        }
        if (shot.settledAt == nil) != (status == .open) {
            shot.settledAt = status == .open ? nil : now
            isDirty = true
        }
    }

    private func locate(_ key: FileKey) -> (capture: Int, file: Int)? {
        guard key.capture.shot == shot.id, let index = indices[key.capture.device],
            let file = shot.captures[index].files.firstIndex(where: { $0.kind == key.kind })
        else { return nil }
        return (index, file)
    }
}
