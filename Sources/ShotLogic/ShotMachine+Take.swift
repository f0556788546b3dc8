public import CaptureModel

/// Takes: shots whose captures are recordings, which owe their files until somebody stops them.
extension ShotMachine {
    /// The first instant counts. Where nothing is recorded at it, since it is not after T, the take is cancelled.
    mutating func stop(at time: RigTime) {
        guard shot.take != nil, shot.take?.stopTime == nil else { return }
        shot.take?.stopTime = time
        isDirty = true
        guard time > shot.time else { return cancelAll(because: "it was stopped before it began") }
        guard stage == .resolving else { return }
        actions += byNode(owing).map { .fire($0.node, $0.devices) }
    }

    mutating func reportBeginning() {
        guard !hasToldBeginning, let durableShot, durableShot.hasBegunRecording else { return }
        hasToldBeginning = true
        actions.append(.began(durableShot))
    }

    /// Once for each id, and at most ``Take/markLimit``.
    mutating func set(_ mark: TakeMark) {
        guard let marks = shot.take?.marks, marks.count < Take.markLimit, !marks.contains(where: { $0.id == mark.id })
        else { return }
        shot.take?.marks.append(mark)
        isDirty = true
    }
}

extension Capture {
    /// A recording in several files has each of them from when its node first tells of it.
    mutating func expectSegments(of report: CaptureReport) {
        guard phase == .captured, files.contains(where: \.kind.isMovie) else { return }
        let known = Set(files.map(\.kind))
        let segments = Set((report.files.map(\.kind) + report.owed + report.failed.map(\.kind)).compactMap(\.segment))
        let further = segments.sorted().flatMap(AssetKind.ofRecording).filter { !known.contains($0) }
        files += further.map { CapturedFile(kind: $0) }
    }
}

extension Shot {
    /// Whether it is a take of which every camera records, has recorded, or has said that it does not.
    public var hasBegunRecording: Bool {
        take != nil && captures.allSatisfy { $0.phase != .preparing && $0.phase != .armed }
    }
}
