public import CaptureModel

/// Takes: shots whose captures are recordings, which owe their files until somebody stops them.
extension ShotMachine {
    /// When its recordings end, as soon as nodes may hear of it.
    public var toldStop: RigTime? { hasToldStop ? shot.take?.stopTime : nil }

    /// The first instant counts. Where nothing is recorded at it, since it is not after T, the take is cancelled.
    mutating func stop(at time: RigTime) {
        guard shot.status == .open, shot.take != nil, shot.take?.stopTime == nil else { return }
        shot.take?.stopTime = time
        isDirty = true
        for index in shot.captures.indices {
            let capture = shot.captures[index]
            let movie = noted(capture.movie, in: capture.resolved?.streamFormat)
            change(index) { $0.movie = movie }
        }
        guard time > shot.time else { return cancelAll(because: "it was stopped before it began") }
    }

    /// Nodes hear of a stop once it is durable: after a crash nobody would know the instant at which they had ended. Where the
    /// disk takes longer than until that instant, the recordings are not to go on for its sake.
    mutating func tellStop(at now: RigTime) {
        guard !hasToldStop, let stop = shot.take?.stopTime, durableShot?.take?.stopTime != nil || stop <= now else {
            return
        }
        hasToldStop = true
        actions.append(.stopped(stop))
        guard stage == .resolving else { return }
        actions += byNode(owing).map { .fire($0.node, $0.devices) }
        sendFire(to: reachable(in: .armed), at: now)
    }

    /// Tells of each mark once it is durable.
    mutating func tellMarks() {
        guard let marks = durableShot?.take?.marks else { return }
        actions += marks.dropFirst(toldMarks).map { .marked($0) }
        toldMarks = marks.count
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

extension ShotMachine {
    /// What a recording tells of itself, with what only the take knows: how far from the stop it ends. A node that was away may
    /// have heard of it too late, or, where no disk kept it, of an earlier one.
    func noted(_ movie: RecordedMovie?, in format: VideoFormat?) -> RecordedMovie? {
        guard var movie, movie.note == nil, let stop = shot.take?.stopTime else { return movie }
        let left = stop - (shot.time + .nanoseconds(movie.durationNanoseconds))
        if left < .zero - RecordedMovie.timeUnit {
            let ended = ", or which is by the wall clock, since the rig time line of its take has ended"
            let reason = "of which its node had not heard in time" + (isTimeValid ? "" : ended)
            movie.note = "its last frame is \((.zero - left).text) after the stop, \(reason)"
        } else if isTimeValid, movie.end == .stopped, movie.frameCount > 0, left > movie.usualInterval(in: format) * 2 {
            movie.note = "its last frame is \(left.text) before the stop"
        }
        return movie
    }
}

extension RecordedMovie {
    /// What a duration may be off by, since a movie's times are in 1/90 000 s.
    fileprivate static let timeUnit = Duration.microseconds(12)

    /// From one frame to the next; one alone has only its camera's format to tell.
    fileprivate func usualInterval(in format: VideoFormat?) -> Duration {
        guard frameCount > 1 else { return format?.frameInterval ?? .zero }
        let (frames, isTooMany) = frameCount.addingReportingOverflow(missingFrames)
        return isTooMany ? .zero : .nanoseconds(durationNanoseconds / Int64(max(1, frames - 1)))
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
