internal import CaptureModel
public import RigClient

/// Shots, newest first: `capctl shots list`.
public struct ShotListDocument: Encodable, Sendable {
    /// Manifests that cannot be read, with path and reason.
    var damaged: [String]
    var moreDamaged: Int
    var shots: [ListedShot]

    public init(_ list: ShotList) {
        damaged = list.damaged.map(\.reason)
        moreDamaged = list.moreDamaged
        shots = list.shots.map(ListedShot.init)
    }
}

/// Takes, newest first: `capctl takes list`.
public struct TakeListDocument: Encodable, Sendable {
    /// Manifests that cannot be read, with path and reason.
    var damaged: [String]
    var moreDamaged: Int
    var takes: [ListedShot]

    public init(_ list: ShotList) {
        damaged = list.damaged.map(\.reason)
        moreDamaged = list.moreDamaged
        takes = list.shots.map(ListedShot.init)
    }
}

/// A shot or take in a list.
struct ListedShot: Encodable {
    /// Number of cameras of which every file is stored.
    var done: Int
    /// Number of cameras.
    var expected: Int
    /// Inside the library.
    var folder: String
    var id: ShotID
    var status: Shot.Status
    /// T, on the coordinator's wall clock.
    var time: String
    /// Empty if there is none.
    var title: String

    init(_ shot: ShotSummary) {
        done = shot.done
        expected = shot.expected
        folder = shot.folder
        id = shot.id
        status = shot.status
        time = RFC3339.text(realtimeNanoseconds: shot.realtimeNanoseconds)
        title = shot.title
    }
}
