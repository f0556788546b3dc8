import CaptureModel

/// What nodes say of captures they made, live and in their inventories.
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

    /// Whether a capture failed before any file of it was announced, and the report announces its photo.
    private func isFirst(_ report: CaptureReport, _ index: Int) -> Bool {
        shot.captures[index].files.allSatisfy { $0.digest == nil }
            && shot.captures[index].requiredFiles.allSatisfy { report.wholeFile(of: $0.kind) != nil }
    }

    /// Whether a capture that was given up, as where another agent of its node's name did not have it, is being recorded, or
    /// has been recorded into files that nobody knew of, also where these were lost.
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

    /// Takes over what a later report says of files that had not been announced.
    /// - Returns: Those that can be collected since.
    mutating func grow(_ index: Int, by report: CaptureReport) -> Set<AssetKind> {
        var fresh: Set<AssetKind> = []
        let movie = noted(report.movie, in: report.resolved.streamFormat)
        change(index) { capture in
            capture.expectSegments(of: report)
            capture.clip = capture.clip ?? report.clip
            capture.movie = capture.movie ?? movie
            for file in capture.files.indices where capture.files[file].digest == nil {
                if capture.files[file].grow(by: report) { fresh.insert(capture.files[file].kind) }
            }
        }
        if shot.captures[index].phase == .captured { finish(index) }
        return fresh
    }

    mutating func captureMissed(_ device: DeviceID, _ problem: CaptureProblem) {
        guard stage != .recording, let index = indices[device], isAwaited(index) || isProvisional(index) else { return }
        if problem.isOfFile { fail(index, problem) } else { miss(index, problem.ofNode) }
    }

    /// A report that contradicts itself is not taken, so there is a frame of which nothing is known that could be believed. A
    /// later report that can be believed still counts.
    mutating func reportRejected(_ device: DeviceID, _ problem: CaptureProblem) {
        guard stage != .recording, let index = indices[device] else { return }
        if isAwaited(index) || isProvisional(index) { return fail(index, problem) }
        for file in shot.captures[index].files where file.outcome == .pending && file.digest == nil {
            storingFailed(key(shot.captures[index], file.kind), problem)
        }
    }

    private mutating func accept(_ report: CaptureReport, _ index: Int) {
        // A report before the fire of this life proves that an earlier life fired.
        if stage == .arming { stage = .resolving }
        expect(report.resolved, index)
        let movie = noted(report.movie, in: report.resolved.streamFormat)
        change(index) { capture in
            capture.phase = .captured
            capture.problem = nil
            capture.resolved = report.resolved
            capture.timing = report.timing
            capture.streamGap = report.streamGap
            capture.clip = report.clip
            capture.movie = movie
            capture.expectSegments(of: report)
            for file in capture.files.indices { capture.files[file].announce(in: report) }
        }
        finish(index)
        collect(index) { $0.outcome == .pending }
    }

    /// Issues collect for the files of a capture that have been announced and fit.
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
                        "Node '\(report.key.device.node)' announced \(file.kind.rawValue) of '\(report.key)' as \(digest) before and as \(other.digest) later; the first counts."
                    )))
        }
    }
}

extension CaptureReport {
    func file(of kind: AssetKind) -> SpooledFile? {
        files.first { $0.kind == kind }
    }

    /// Why a file that was owed will not come.
    func problem(of kind: AssetKind) -> CaptureProblem? {
        failed.first { $0.kind == kind }?.problem
    }

    /// The file, if its size is possible.
    func wholeFile(of kind: AssetKind) -> SpooledFile? {
        file(of: kind).flatMap { $0.byteCount > 0 ? $0 : nil }
    }
}

extension CapturedFile {
    private mutating func take(_ file: SpooledFile) {
        byteCount = file.byteCount
        digest = file.digest
        shortfall = file.shortfall
    }

    /// Takes over what the first report says of this file; one that it neither has nor owes can never arrive.
    mutating func announce(in report: CaptureReport) {
        if let file = report.wholeFile(of: kind) {
            outcome = .pending
            problem = nil
            take(file)
        } else if kind.isMadeLater, report.owed.contains(kind) {
            outcome = .pending
            problem = nil
        } else {
            outcome = .failed
            problem =
                report.problem(of: kind)
                ?? (kind == .alternatePhoto ? report.resolved.rawProblem : nil)
                ?? CaptureProblem(
                    .protocolViolation,
                    "Node '\(report.key.device.node)' reported the capture '\(report.key)' without a whole \(kind.rawValue)."
                )
        }
    }

    /// Takes over what a later report says of this file, of which nothing had been announced.
    /// - Returns: Whether it is there. One that had been given up stays failed until it is stored.
    mutating func grow(by report: CaptureReport) -> Bool {
        if let file = report.wholeFile(of: kind) {
            take(file)
            return true
        }
        if outcome == .pending, let told = report.problem(of: kind) {
            outcome = .failed
            problem = told
        }
        return false
    }
}
