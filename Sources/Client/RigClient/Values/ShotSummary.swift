public import CaptureModel
internal import RigProtocol
internal import RigWire

/// An entry of the list of shots.
public struct ShotSummary: Hashable, Codable, Sendable {
    public var id: ShotID
    public var status: Shot.Status
    /// T on the coordinator's wall clock, nanoseconds since 1970.
    public var realtimeNanoseconds: Int64
    public var expected: Int
    public var done: Int
    /// The shot's folder inside the library.
    public var folder: String
    /// The shot's title; may be empty.
    public var title: String

    public init(
        id: ShotID, status: Shot.Status, realtimeNanoseconds: Int64, expected: Int, done: Int, folder: String,
        title: String = ""
    ) {
        self.id = id
        self.status = status
        self.realtimeNanoseconds = realtimeNanoseconds
        self.expected = expected
        self.done = done
        self.folder = folder
        self.title = title
    }
}

/// A shot whose manifest cannot be read.
public struct DamagedShot: Hashable, Codable, Sendable {
    public var id: ShotID
    /// The shot's folder inside the library.
    public var folder: String
    /// The manifest's path and what is wrong with it.
    public var reason: String

    public init(id: ShotID, folder: String, reason: String) {
        self.id = id
        self.folder = folder
        self.reason = reason
    }
}

/// Shots, newest first, and those whose manifest could not be read.
public struct ShotList: Hashable, Codable, Sendable {
    public var shots: [ShotSummary]
    public var damaged: [DamagedShot]
    /// The number of further damaged shots.
    public var moreDamaged: Int

    public init(shots: [ShotSummary] = [], damaged: [DamagedShot] = [], moreDamaged: Int = 0) {
        self.shots = shots
        self.damaged = damaged
        self.moreDamaged = moreDamaged
    }

    /// Appends the page that follows this list.
    mutating func append(_ page: ShotList) {
        shots += page.shots
        damaged += page.damaged
        moreDamaged += page.moreDamaged
    }
}

extension ShotList {
    init(wire: WireShotList) throws(WireError) {
        shots = try wire.shots.map(ShotSummary.init(wire:))
        damaged = try wire.damaged.map(DamagedShot.init(wire:))
        moreDamaged = Int(wire.moreDamaged)
    }
}

extension DamagedShot {
    init(wire: WireDamagedShot) throws(WireError) {
        id = try FieldReader("DamagedShot").shotID(wire.shotID)
        folder = wire.folder.sentence(limit: WireLimits.reasonByteCount)
        reason = wire.reason.sentence(limit: WireLimits.reasonByteCount)
    }
}

extension ShotSummary {
    init(wire: WireShotSummary) throws(WireError) {
        let reader = FieldReader("ShotSummary")
        id = try reader.shotID(wire.shotID)
        status = try reader.word(wire.status, "status", as: Shot.Status.self)
        realtimeNanoseconds = wire.realtimeNs
        expected = Int(wire.expected)
        done = Int(wire.done)
        folder = wire.folder.sentence(limit: WireLimits.reasonByteCount)
        title = wire.title.sentence(limit: ShotAnnotation.longestTitle)
    }
}

/// The progress of a shot.
public struct ShotProgress: Hashable, Sendable {
    public var shot: ShotID
    /// T.
    public var time: RigTime
    /// Predicted spread of the cameras' mid-exposures; nil if phases are not known.
    public var predictedSpread: Duration?
    public var captures: CaptureCounts
    /// How long the answer may still take; nil if it has no limit.
    public var answerWithin: Duration?
}

extension ShotProgress {
    /// Whether it is known of every capture what becomes of its stills: they are durable in the library, or it has another outcome.
    public var stillsAreSettled: Bool {
        captures.awaitingCompanions + captures.done + captures.partial + captures.missed + captures.failed
            == captures.expected
    }
}

extension ShotProgress {
    init(wire: WireShotProgress) throws(WireError) {
        let reader = FieldReader("ShotProgress")
        shot = try reader.shotID(wire.shotID)
        time = RigTime(nanoseconds: wire.rigTimeNs)
        predictedSpread = wire.hasPredictedSpreadNs ? .nanoseconds(wire.predictedSpreadNs) : nil
        captures = try CaptureCounts(wire: wire.captures)
        answerWithin =
            wire.hasAnswerWithinNs
            ? .nanoseconds(try reader.number(wire.answerWithinNs, "answer_within_ns", in: WireLimits.answerWithin))
            : nil
    }
}
