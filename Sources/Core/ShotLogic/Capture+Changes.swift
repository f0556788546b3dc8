import CaptureModel

/// How a capture changes.
extension Capture {
    /// Whether neither a frame nor an outcome is known.
    var isAwaited: Bool { phase == .preparing || phase == .armed }

    /// Whether it is missed only because no report arrived.
    var isProvisional: Bool { phase == .missed && problem?.code == .nodeUnreachable }

    var isCancelled: Bool { phase == .missed && problem?.code == .cancelled }

    /// Whether there is a frame, and a file of it is still to be made.
    var owesFile: Bool { phase == .captured && files.contains(where: \.isOwed) }

    /// Expects companion files that only some cameras have while the camera announces them. The last announcement
    /// counts, because another run of the agent may arm the camera again.
    mutating func expect(_ resolved: ResolvedPhotoSettings, for settings: PhotoSettings) {
        guard settings.livePhoto == .whereEnabled else { return }
        let announced = resolved.livePhoto?.kinds ?? []
        for kind in settings.clipKinds {
            let isExpected = files.contains { $0.kind == kind }
            if announced.contains(kind), !isExpected {
                files.append(CapturedFile(kind: kind))
            } else if !announced.contains(kind), isExpected {
                files.removeAll { $0.kind == kind && $0.digest == nil }
            }
        }
    }

    mutating func end(as phase: Phase, files outcome: CapturedFile.Outcome, _ problem: RigProblem) {
        self.phase = phase
        self.problem = problem
        for file in files.indices {
            files[file].outcome = outcome
            files[file].problem = outcome == .failed ? problem : nil
        }
    }

    /// Gives a capture its outcome when every file has one.
    mutating func finish() {
        guard !files.contains(where: { $0.outcome == .pending }) else { return }
        let failed = requiredFiles.first { !$0.isStored } ?? files.first { !$0.isStored }
        let short = files.lazy.compactMap(\.shortfall).first ?? movie?.problem
        phase = derivedPhase
        problem = failed?.problem ?? claimProblem ?? short
    }

    mutating func fail(_ lost: [Int], _ problem: RigProblem) {
        for file in lost {
            files[file].outcome = .failed
            files[file].problem = problem
        }
    }

    mutating func markLate(except inTime: Set<AssetKind>) {
        for file in files.indices where files[file].outcome == .done && !inTime.contains(files[file].kind) {
            files[file].outcome = .late
        }
    }
}

/// What reports change of a capture.
extension Capture {
    /// Returns whether it failed before any of its files was announced, and the report announces its photo.
    func isFirst(_ report: CaptureReport) -> Bool {
        files.allSatisfy { $0.digest == nil } && requiredFiles.allSatisfy { report.wholeFile(of: $0.kind) != nil }
    }

    /// Returns whether it was given up and is being recorded, or has been recorded into files that were unknown, even
    /// if these were lost. A capture may be given up because another agent with its node's name did not have it.
    func goesOn(_ report: CaptureReport) -> Bool {
        let known = Set(files.map(\.kind))
        let told = report.files.map(\.kind) + report.failed.map(\.kind)
        return report.owedSegment != nil || told.contains { $0.segment != nil && !known.contains($0) }
    }

    mutating func accept(_ report: CaptureReport, movie: RecordedMovie?) {
        phase = .captured
        problem = nil
        resolved = report.resolved
        timing = report.timing
        doubts = report.doubts
        streamGap = report.streamGap
        clip = report.clip
        self.movie = movie
        expectFiles(of: report)
        for file in files.indices { files[file].announce(in: report) }
    }

    mutating func reopen(with report: CaptureReport) {
        let there = Set(report.files.map(\.kind) + report.owed)
        phase = .captured
        problem = nil
        for file in files.indices where !files[file].isStored && there.contains(files[file].kind) {
            files[file].outcome = .pending
            files[file].problem = nil
        }
    }

    /// Applies a later report to files that had not been announced.
    /// - Returns: The files that exist.
    mutating func grow(by report: CaptureReport, movie: RecordedMovie?) -> Set<AssetKind> {
        expectFiles(of: report)
        noteDoubts(of: report)
        clip = clip ?? report.clip
        self.movie = self.movie ?? movie
        var fresh: Set<AssetKind> = []
        for file in files.indices where files[file].digest == nil {
            if files[file].grow(by: report) { fresh.insert(files[file].kind) }
        }
        return fresh
    }

    /// Expects what only the report tells of the files.
    private mutating func expectFiles(of report: CaptureReport) {
        expectSegments(of: report)
        expectCameraFile(of: report)
    }

    /// Expects the raw file that the camera itself has made instead of a DNG.
    private mutating func expectCameraFile(of report: CaptureReport) {
        guard let file = files.firstIndex(where: { $0.kind == .alternatePhoto && $0.digest == nil }),
            report.file(of: .alternatePhoto) == nil, let made = report.files.first(where: \.kind.isRaw)
        else { return }
        files[file].kind = made.kind
    }

    /// Adds the files of each segment of a recording when its node first reports it.
    private mutating func expectSegments(of report: CaptureReport) {
        guard phase == .captured, files.contains(where: \.kind.isMovie) else { return }
        let known = Set(files.map(\.kind))
        let segments = Set((report.files.map(\.kind) + report.owed + report.failed.map(\.kind)).compactMap(\.segment))
        let further = segments.sorted().flatMap(AssetKind.ofRecording).filter { !known.contains($0) }
        files += further.map { CapturedFile(kind: $0) }
    }

    /// Notes the doubts of what a later report adds: its clip or its movie. Of the rest, the first report counts.
    private mutating func noteDoubts(of report: CaptureReport) {
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
    fileprivate mutating func announce(in report: CaptureReport) {
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
    fileprivate mutating func grow(by report: CaptureReport) -> Bool {
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

extension RecordedMovie {
    /// Adds a note on how far from the stop it ends, which only the take knows. A node that was not connected may have
    /// learned of the stop too late, or of an earlier stop that no disk kept.
    /// - Parameters:
    ///   - start: T of the take.
    ///   - isTimeValid: Whether the take's time line continues.
    func noting(stop: RigTime, start: RigTime, in format: VideoFormat?, isTimeValid: Bool) -> RecordedMovie {
        guard note == nil else { return self }
        var noted = self
        let left = stop - (start + .nanoseconds(durationNanoseconds))
        if left < .zero - Self.timeUnit {
            let ended = ", or which is by the wall clock, since the rig time line of its take has ended"
            let reason = "which its node had not received in time" + (isTimeValid ? "" : ended)
            noted.note = "its last frame is \((.zero - left).text) after the stop, \(reason)"
        } else if isTimeValid, end == .stopped, frameCount > 0, left > usualInterval(in: format) * 2 {
            noted.note = "its last frame is \(left.text) before the stop"
        }
        return noted
    }

    /// The largest error of a duration, because a movie's times are in 1/90 000 s.
    private static let timeUnit = Duration.microseconds(12)

    /// Returns the usual time from frame to frame. A single frame uses its camera's format.
    private func usualInterval(in format: VideoFormat?) -> Duration {
        guard frameCount > 1 else { return format?.frameInterval ?? .zero }
        let (frames, isTooMany) = frameCount.addingReportingOverflow(missingFrames)
        return isTooMany ? .zero : .nanoseconds(durationNanoseconds / Int64(max(1, frames - 1)))
    }
}
