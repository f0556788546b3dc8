public import CaptureModel
internal import RigProtocol
internal import RigWire

/// A line of the list of shots.
public struct ShotSummary: Hashable, Codable, Sendable {
    public var id: ShotID
    public var status: Shot.Status
    /// T on the coordinator's wall clock, nanoseconds since 1970.
    public var realtimeNanoseconds: Int64
    public var expected: Int
    public var done: Int
    /// The shot's folder inside the library.
    public var folder: String
    /// What people call it; empty where nothing.
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

/// Shots, newest first, and the manifests that could not be read.
public struct ShotList: Hashable, Codable, Sendable {
    public var shots: [ShotSummary]
    /// Path and reason of each.
    public var damaged: [String]
    /// How many more of these there are.
    public var moreDamaged: Int

    public init(shots: [ShotSummary] = [], damaged: [String] = [], moreDamaged: Int = 0) {
        self.shots = shots
        self.damaged = damaged
        self.moreDamaged = moreDamaged
    }

    /// Adds the page that goes on behind this list.
    mutating func append(_ page: ShotList) {
        shots += page.shots
        damaged += page.damaged
        moreDamaged += page.moreDamaged
    }
}

extension ShotList {
    init(wire: WireShotList) throws(WireError) {
        shots = try wire.shots.map(ShotSummary.init(wire:))
        damaged = wire.damaged.map { $0.sentence(limit: WireLimits.reasonByteCount) }
        moreDamaged = Int(wire.moreDamaged)
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
