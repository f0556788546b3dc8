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
        case .captured, .done, .failed: warnIfContradicting(report, index)
        }
    }

    /// Whether a capture failed before any file of it was announced, and the report announces one.
    private func isFirst(_ report: CaptureReport, _ index: Int) -> Bool {
        shot.captures[index].files.allSatisfy { $0.digest == nil && report.wholeFile(of: $0.kind) != nil }
    }

    mutating func captureMissed(_ device: DeviceID, _ problem: CaptureProblem) {
        guard stage != .recording, let index = indices[device], isAwaited(index) || isProvisional(index) else { return }
        if problem.isOfFile { fail(index, problem) } else { miss(index, problem) }
    }

    private mutating func accept(_ report: CaptureReport, _ index: Int) {
        // A report before the fire of this life proves that an earlier life fired.
        if stage == .arming { stage = .resolving }
        change(index) { capture in
            capture.phase = .captured
            capture.problem = nil
            capture.resolved = report.resolved
            capture.timing = report.timing
            capture.streamGap = report.streamGap
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

    /// The file, if its size is possible.
    func wholeFile(of kind: AssetKind) -> SpooledFile? {
        file(of: kind).flatMap { $0.byteCount > 0 ? $0 : nil }
    }
}

extension CapturedFile {
    /// Takes over what the node says of this file; a file the report lacks can never arrive.
    mutating func announce(in report: CaptureReport) {
        guard let file = report.wholeFile(of: kind) else {
            outcome = .failed
            problem = .init(
                .protocolViolation,
                "Node '\(report.key.device.node)' reported the capture '\(report.key)' without a whole \(kind.rawValue)."
            )
            return
        }
        outcome = .pending
        problem = nil
        byteCount = file.byteCount
        digest = file.digest
    }
}
