import CaptureModel

/// What a shot has announced: each step once, and only what a durable manifest has.
struct ShotAnnouncements: Sendable {
    private var settledRevision: Int?
    private var hasToldBeginning = false
    private var hasToldStop = false
    private var markCount = 0

    init() {}

    /// The announcements of a resumed shot: an earlier run has made all those of a settled one.
    init(durable shot: Shot) {
        guard shot.status != .open else { return }
        settledRevision = shot.revision
        hasToldBeginning = true
        hasToldStop = shot.take?.stopTime != nil
        markCount = shot.take?.marks.count ?? 0
    }

    var hasBegun: Bool { hasToldBeginning }

    /// For a take: every camera records, or has reported that it does not.
    mutating func beginning(of durable: Shot?) -> [ShotAction] {
        guard !hasToldBeginning, let durable, durable.hasBegunRecording else { return [] }
        hasToldBeginning = true
        return [.began(durable)]
    }

    /// For a take: when it ends, once that is durable: after a crash, the instant at which its recordings ended would be
    /// unknown. If the disk takes longer than until that instant, it is told anyway, so that the recordings do not
    /// continue.
    mutating func stop(of shot: Shot, durable: Shot?, at now: RigTime) -> [ShotAction] {
        guard let stop = untoldStop(of: shot), durable?.take?.stopTime != nil || stop <= now else { return [] }
        hasToldStop = true
        return [.stopped(stop)]
    }

    /// Returns the stop of a take that is set and not told.
    func untoldStop(of shot: Shot) -> RigTime? { hasToldStop ? nil : shot.take?.stopTime }

    /// Returns the stop of a take that nodes may learn of.
    func toldStop(of shot: Shot) -> RigTime? { hasToldStop ? shot.take?.stopTime : nil }

    /// For a take: its further marks.
    mutating func marks(of durable: Shot?) -> [ShotAction] {
        guard let marks = durable?.take?.marks else { return [] }
        defer { markCount = marks.count }
        return marks.dropFirst(markCount).map { .marked($0) }
    }

    /// A settled revision.
    mutating func result(of durable: Shot) -> [ShotAction] {
        guard durable.status != .open, settledRevision.map({ $0 < durable.revision }) ?? true else { return [] }
        settledRevision = durable.revision
        return [.finished(durable)]
    }
}
