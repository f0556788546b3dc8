internal import CaptureModel

extension Shot {
    /// The shot as an export has it: a file that the library's manifest calls stored and that was left out has failed, and
    /// captures and status follow from that.
    func leavingOut(_ files: [ExportedFile]) -> Shot {
        let leftOut = files.filter { $0.shot == id && !$0.outcome.isThere }
        guard !leftOut.isEmpty else { return self }
        var shot = self
        for index in shot.captures.indices { shot.captures[index].leaveOut(leftOut) }
        shot.status = shot.derivedStatus
        return shot
    }
}

extension Capture {
    fileprivate mutating func leaveOut(_ leftOut: [ExportedFile]) {
        for index in files.indices where files[index].isStored {
            let found = leftOut.first { $0.device == device.id && $0.kind == files[index].kind }
            guard let found else { continue }
            files[index].outcome = .failed
            files[index].problem = CaptureProblem(.fileLost, "it is not in this export: \(found.reason ?? "unknown")")
            (files[index].path, files[index].storedAt) = (nil, nil)
            if isSettled { (phase, problem) = (derivedPhase, files[index].problem) }
        }
    }
}
