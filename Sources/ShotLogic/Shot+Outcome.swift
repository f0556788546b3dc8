public import CaptureModel

extension Shot {
    /// The status that follows from the captures: open while one has no outcome, complete when all are done, failed
    /// when none is.
    public var derivedStatus: Status {
        guard captures.allSatisfy(\.isSettled) else { return .open }
        let done = captures.count { $0.phase == .done }
        return done == 0 ? .failed : done == captures.count ? .complete : .partial
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

extension CapturedFile {
    /// Whether the file lies in the library.
    var isStored: Bool { outcome == .done || outcome == .late }
}

extension CaptureProblem {
    /// Whether there was a frame, and what was lost is a file.
    var isOfFile: Bool {
        switch code {
        case .noSpace, .inputOutput, .corrupted, .fileLost: true
        default: false
        }
    }
}
