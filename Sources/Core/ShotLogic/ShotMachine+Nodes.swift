import CaptureModel

/// Reconciling with a node that said hello: compares its inventory with what the shot expects.
extension ShotMachine {
    mutating func nodeConnected(
        _ node: NodeName, epochChanged: Bool, inventory: [CaptureReport], at now: RigTime
    ) {
        connected.insert(node)
        guard stage != .recording else { return }
        let reports = Dictionary(
            inventory.filter { $0.key.shot == shot.id }.map { ($0.key.device, $0) },
            uniquingKeysWith: { first, _ in first })
        var unmade: [Int] = []
        for index in shot.captures.indices where shot.captures[index].device.id.node == node {
            let device = shot.captures[index].device.id
            if let report = reports[device] {
                reconcile(report, index)
            } else if isAwaited(index) {
                unmade.append(index)
                prepareAgain(index, epochChanged: epochChanged)
            } else {
                loseUnlisted(index, listed: nil)
            }
        }
        sendPrepare(to: byNode(unmade), at: now)
    }

    /// Reconciles one capture like the hello's inventory.
    mutating func offered(_ report: CaptureReport) {
        guard stage != .recording, report.key.shot == shot.id, let index = indices[report.key.device] else { return }
        reconcile(report, index)
    }

    /// Prepares a camera again. Its pins may be gone with the node's run or may have expired; only its answer to
    /// another prepare shows this.
    private mutating func prepareAgain(_ index: Int, epochChanged: Bool) {
        let capture = shot.captures[index]
        if epochChanged, capture.resolved != nil { restarted.insert(capture.device.id) }
        if capture.phase == .armed { change(index) { $0.phase = .preparing } }
    }

    private mutating func reconcile(_ report: CaptureReport, _ index: Int) {
        let phase = shot.captures[index].phase
        let known = Set(shot.captures[index].files.filter { $0.digest != nil }.map(\.kind))
        captured(report)
        guard [.captured, .done, .partial, .failed].contains(phase) else { return }
        loseUnlisted(index, listed: report)
        collect(index) { file in
            known.contains(file.kind) && (file.outcome == .pending || file.outcome == .failed)
                && report.file(of: file.kind)?.digest == file.digest
        }
        releaseAgain(index, listed: report)
    }

    /// Gives up pending files that the node no longer lists, because their only copy was there.
    private mutating func loseUnlisted(_ index: Int, listed report: CaptureReport?) {
        let capture = shot.captures[index]
        for file in capture.files where file.outcome == .pending && capture.phase == .captured {
            guard file.digest == nil || report?.file(of: file.kind)?.digest != file.digest,
                !(file.isOwed && report?.owed.contains(file.kind) == true)
            else { continue }
            storingFailed(
                key(capture, file.kind),
                .init(
                    .fileLost,
                    "Node '\(capture.device.id.node)' no longer has the \(file.kind.rawValue) of '\(capture.device.id)' that it announced."
                ))
        }
    }

    /// Repeats the release of a listed file that is durable here, or of its failure, because the first one was lost.
    private mutating func releaseAgain(_ index: Int, listed report: CaptureReport) {
        guard let durable = durableShot?.captures[index] else { return }
        for file in durable.files {
            let key = key(durable, file.kind)
            if file.isStored, let digest = file.digest, report.file(of: file.kind)?.digest == digest {
                released.insert(key)
                actions.append(.release(key, digest))
            } else if file.isStored || file.outcome == .failed, report.problem(of: file.kind) != nil {
                forgotten.insert(key)
                actions.append(.forget(key))
            }
        }
    }
}

/// Outcomes of files, and their effects on captures and the shot.
extension ShotMachine {
    mutating func stored(_ key: FileKey, path: String, at instant: RigTime) {
        guard let (index, file) = locate(key) else { return }
        let known = shot.captures[index].files[file]
        // A digest shows that there was a report. A file that failed before may still arrive.
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

    mutating func storingFailed(_ key: FileKey, _ problem: RigProblem) {
        guard let (index, file) = locate(key), shot.captures[index].files[file].outcome == .pending,
            shot.captures[index].phase == .captured
        else { return }
        change(index) { capture in
            capture.files[file].outcome = .failed
            capture.files[file].problem = problem
        }
        finish(index)
    }

    /// Fails the files that the library does not have. They can no longer arrive.
    mutating func discarded(_ device: DeviceID, _ problem: RigProblem) {
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

    /// Gives a capture its outcome when every file has one.
    mutating func finish(_ index: Int) {
        let capture = shot.captures[index]
        guard !capture.files.contains(where: { $0.outcome == .pending }) else { return }
        let failed = capture.requiredFiles.first { !$0.isStored } ?? capture.files.first { !$0.isStored }
        let short = capture.files.lazy.compactMap(\.shortfall).first ?? capture.movie?.problem
        change(index) { capture in
            capture.phase = capture.derivedPhase
            capture.problem = failed?.problem ?? capture.claimProblem ?? short
        }
    }

    /// Updates status and settling time from the captures.
    mutating func updateStatus(at now: RigTime) {
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

/// Progress for a waiting client.
extension ShotMachine {
    /// The progress of the shot, as it was last shown.
    public var progress: ShotProgressReport {
        ShotProgressReport(shot: shot.id, stage: stage, steps: shown, changed: [])
    }

    /// Shows the changes after the last progress. Called before every answer, because its receivers get no progress
    /// after it.
    mutating func showProgress() {
        var changed: [ShotProgressReport.Change] = []
        for index in shot.captures.indices {
            let step = visibleStep(index)
            guard step != shown[index] else { continue }
            shown[index] = step
            let capture = shot.captures[index]
            changed.append(.init(device: capture.device.id, phase: step.phase, problem: capture.problem))
        }
        guard !changed.isEmpty else { return }
        actions.append(.progress(ShotProgressReport(shot: shot.id, stage: stage, steps: shown, changed: changed)))
    }

    /// Returns the step to show. A capture is shown as done or partial, and its photo as stored, only when a durable
    /// manifest says so.
    private func visibleStep(_ index: Int) -> ShotProgressReport.Step {
        let phase = shot.captures[index].phase
        let durable = durableShot?.captures[index]
        let isDurable = phase != .done && phase != .partial || durable?.phase == phase
        let step = ShotProgressReport.Step(phase: isDurable ? phase : .captured)
        guard step.phase == .captured, let durable, durable.phase == .captured else { return step }
        return ShotProgressReport.Step(phase: .captured, awaitsCompanions: durable.awaitsCompanions)
    }
}

extension Capture {
    /// Whether the required files are stored, and a companion file is outstanding.
    fileprivate var awaitsCompanions: Bool {
        requiredFiles.allSatisfy(\.isStored) && files.contains { $0.outcome == .pending }
    }
}
