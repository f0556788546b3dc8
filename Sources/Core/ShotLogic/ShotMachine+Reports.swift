import CaptureModel

/// Reports of nodes on their captures, live and in inventories.
extension ShotMachine {
    mutating func captured(_ report: CaptureReport) {
        guard stage != .recording, report.key.shot == shot.id, let index = indices[report.key.device] else { return }
        switch shot.captures[index].phase {
        case .preparing, .armed: accept(report, index)
        case .missed where isCancelled(index): sendCancel(to: [index])
        case .missed: accept(report, index)
        case .failed where isFirst(report, index): accept(report, index)
        case .partial where goesOn(report, index), .failed where goesOn(report, index): reopen(index, with: report)
        case .captured, .done, .partial, .failed:
            warnIfContradicting(report, index)
            let fresh = grow(index, by: report)
            collect(index) { fresh.contains($0.kind) }
        }
    }

    /// Returns whether a capture failed before any of its files was announced, and the report announces its photo.
    private func isFirst(_ report: CaptureReport, _ index: Int) -> Bool {
        shot.captures[index].files.allSatisfy { $0.digest == nil }
            && shot.captures[index].requiredFiles.allSatisfy { report.wholeFile(of: $0.kind) != nil }
    }

    /// Returns whether a given-up capture is being recorded, or has been recorded into files that were unknown, even if
    /// these were lost. A capture may be given up because another agent with its node's name did not have it.
    private func goesOn(_ report: CaptureReport, _ index: Int) -> Bool {
        let known = Set(shot.captures[index].files.map(\.kind))
        let told = report.files.map(\.kind) + report.failed.map(\.kind)
        return report.owedSegment != nil || told.contains { $0.segment != nil && !known.contains($0) }
    }

    private mutating func reopen(_ index: Int, with report: CaptureReport) {
        let there = Set(report.files.map(\.kind) + report.owed)
        change(index) { capture in
            capture.phase = .captured
            capture.problem = nil
            for file in capture.files.indices
            where !capture.files[file].isStored && there.contains(capture.files[file].kind) {
                capture.files[file].outcome = .pending
                capture.files[file].problem = nil
            }
        }
        _ = grow(index, by: report)
        collect(index) { $0.outcome == .pending }
    }

    /// Applies a later report to files that had not been announced.
    /// - Returns: The files that can be collected because of it.
    mutating func grow(_ index: Int, by report: CaptureReport) -> Set<AssetKind> {
        var fresh: Set<AssetKind> = []
        let movie = noted(report.movie, in: report.resolved.streamFormat)
        change(index) { capture in
            capture.expectSegments(of: report)
            capture.noteDoubts(of: report)
            capture.clip = capture.clip ?? report.clip
            capture.movie = capture.movie ?? movie
            for file in capture.files.indices where capture.files[file].digest == nil {
                if capture.files[file].grow(by: report) { fresh.insert(capture.files[file].kind) }
            }
        }
        if shot.captures[index].phase == .captured { finish(index) }
        return fresh
    }

    mutating func captureMissed(_ device: DeviceID, _ problem: RigProblem) {
        guard stage != .recording, let index = indices[device], isAwaited(index) || isProvisional(index) else { return }
        if problem.isOfFile { fail(index, problem) } else { miss(index, problem.ofNode) }
    }

    private mutating func accept(_ report: CaptureReport, _ index: Int) {
        // A report before the fire of this run proves that an earlier run fired.
        if stage == .arming { stage = .resolving }
        expect(report.resolved, index)
        let movie = noted(report.movie, in: report.resolved.streamFormat)
        change(index) { capture in
            capture.phase = .captured
            capture.problem = nil
            capture.resolved = report.resolved
            capture.timing = report.timing
            capture.doubts = report.doubts
            capture.streamGap = report.streamGap
            capture.clip = report.clip
            capture.movie = movie
            capture.expectSegments(of: report)
            for file in capture.files.indices { capture.files[file].announce(in: report) }
        }
        finish(index)
        collect(index) { $0.outcome == .pending }
    }

    /// Issues collect for the announced files of a capture that match.
    mutating func collect(_ index: Int, where fits: (CapturedFile) -> Bool) {
        let capture = shot.captures[index]
        for file in capture.files where fits(file) {
            guard let digest = file.digest, let byteCount = file.byteCount else { continue }
            actions.append(.collect(key(capture, file.kind), byteCount: byteCount, digest: digest))
        }
    }

    private mutating func warnIfContradicting(_ report: CaptureReport, _ index: Int) {
        for file in shot.captures[index].files {
            guard let digest = file.digest, let other = report.file(of: file.kind), other.digest != digest else {
                continue
            }
            actions.append(
                .warn(
                    report.key,
                    .init(
                        .protocolViolation,
                        "Node '\(report.key.device.node)' announced \(file.kind.rawValue) of '\(report.key)' as \(digest) first and as \(other.digest) later; the first is used."
                    )))
        }
    }
}

extension Capture {
    /// Notes the doubts of what a later report adds: its clip or its movie. Of the rest, the first report counts.
    fileprivate mutating func noteDoubts(of report: CaptureReport) {
        for doubt in report.doubts where isNews(doubt.claim, in: report) && !doubts.contains(doubt) {
            doubts.append(doubt)
        }
    }

    private func isNews(_ claim: DoubtedClaim.Claim, in report: CaptureReport) -> Bool {
        switch claim {
        case .clip, .settings: clip == nil && report.clip != nil
        case .movie: movie == nil && report.movie != nil
        case .skew, .bound, .midExposure, .dequeued, .streamGap: false
        }
    }
}

extension CaptureReport {
    func file(of kind: AssetKind) -> SpooledFile? {
        files.first { $0.kind == kind }
    }

    /// Returns why an owed file will not be made.
    func problem(of kind: AssetKind) -> RigProblem? {
        failed.first { $0.kind == kind }?.problem
    }

    /// Returns the file, if its size is possible.
    func wholeFile(of kind: AssetKind) -> SpooledFile? {
        file(of: kind).flatMap { $0.byteCount > 0 ? $0 : nil }
    }
}

extension CapturedFile {
    private mutating func update(_ file: SpooledFile) {
        byteCount = file.byteCount
        digest = file.digest
        shortfall = file.shortfall
    }

    /// Applies the first report to this file. A file that the report neither has nor owes can never arrive.
    mutating func announce(in report: CaptureReport) {
        if let file = report.wholeFile(of: kind) {
            outcome = .pending
            problem = nil
            update(file)
        } else if kind.isMadeLater, report.owed.contains(kind) {
            outcome = .pending
            problem = nil
        } else {
            outcome = .failed
            problem =
                report.problem(of: kind)
                ?? (kind == .alternatePhoto ? report.resolved.rawProblem : nil)
                ?? RigProblem(
                    .protocolViolation,
                    "Node '\(report.key.device.node)' reported the capture '\(report.key)' without a complete \(kind.rawValue)."
                )
        }
    }

    /// Applies a later report to this file, which had not been announced.
    /// - Returns: Whether the file exists. A file that was given up stays failed until it is stored.
    mutating func grow(by report: CaptureReport) -> Bool {
        if let file = report.wholeFile(of: kind) {
            update(file)
            return true
        }
        if outcome == .pending, let told = report.problem(of: kind) {
            outcome = .failed
            problem = told
        }
        return false
    }
}
