extension Shot {
    /// The status that follows from the captures: open while one has no outcome, complete when all are done, failed
    /// when none has its photo.
    public var derivedStatus: Status {
        guard captures.allSatisfy(\.isSettled) else { return .open }
        if captures.allSatisfy({ $0.phase == .done }) { return captures.isEmpty ? .failed : .complete }
        return captures.contains { $0.phase == .done || $0.phase == .partial } ? .partial : .failed
    }

    /// Why this shot cannot stand for a request that came under its id; nil when the request is a repetition of its own.
    public func conflict(with request: ShotRequest) -> CaptureProblem? {
        guard request != self.request else { return nil }
        var parts: [String] = []
        if request.selection != self.request.selection { parts.append("selection") }
        if request.settings != self.request.settings { parts.append("settings") }
        if request.time != self.request.time { parts.append("time") }
        if request.requireAll != self.request.requireAll { parts.append("require-all") }
        return CaptureProblem(
            .conflict,
            "Shot \(id) exists with another \(parts.joined(separator: " and ")); repeat the request as it was, or use a fresh id."
        )
    }
}

extension Capture {
    /// The phase that follows from the files, once each has an outcome: without its photo, or any file of its movie, the capture
    /// has failed; without a file that goes with them, with one that is less than what was asked for, or where its movie ended
    /// before its time, it is partial.
    public var derivedPhase: Phase {
        let required = requiredFiles
        // Each file of a recording plays without the others.
        let isLost =
            required.contains(where: \.kind.isMovie)
            ? !required.contains(where: \.isStored) : required.contains { !$0.isStored }
        if isLost { return .failed }
        let isWhole = files.allSatisfy { $0.isStored && $0.shortfall == nil } && movie?.problem == nil
        return isWhole ? .done : .partial
    }

    /// What it is nothing without: its movie, or its stills; where none was asked for, the sensor's samples.
    package var requiredFiles: [CapturedFile] {
        let stills = files.filter { $0.kind.isStill || $0.kind.isMovie }
        let required = stills.isEmpty ? files.filter { $0.kind == .alternatePhoto } : stills
        return required.isEmpty ? files : required
    }
}

extension CapturedFile {
    /// Whether the node is still making it.
    package var isOwed: Bool { kind.isMadeLater && outcome == .pending && digest == nil }

    /// Whether it was never made, as far as the node has said: the node tells so until it hears that this is durable.
    package var isToldFailed: Bool { kind.isMadeLater && outcome == .failed && digest == nil }
}

extension CaptureProblem {
    /// Whether there was a frame, and what was lost is a file.
    package var isOfFile: Bool {
        switch code {
        case .noSpace, .inputOutput, .corrupted, .fileLost: true
        default: false
        }
    }
}
