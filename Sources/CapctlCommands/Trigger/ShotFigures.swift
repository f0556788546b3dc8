internal import CaptureModel

/// How simultaneous and how quick a shot was, from its manifest alone; nil where no capture says.
struct ShotFigures: Equatable {
    /// Stills and raw files; previews are not counted.
    var expected: Int
    /// Of these, those durable in the library.
    var stored: Int
    /// From the earliest to the latest mid-exposure.
    var spread: Duration?
    /// The skew that is farthest from T, with its sign.
    var worstSkew: Duration?
    /// The largest bound of any capture's skew.
    var worstBound: Duration?
    /// Clips, which come after the stills.
    var clips: ClipCount
    /// From the last chosen frame's dequeue to the last still's being durable.
    var dequeueToDurable: Duration?
    /// From T to the last still's being durable.
    var timeToDurable: Duration?

    /// How many clips are expected, and durable in the library.
    struct ClipCount: Equatable {
        var expected: Int
        var stored: Int
    }

    init(_ shot: Shot) {
        let timings = shot.captures.compactMap(\.timing)
        let files = shot.captures.flatMap(\.files)
        let exposures = timings.map(\.midExposure.time)
        let stills = files.filter { $0.kind.isStill || $0.kind == .alternatePhoto }
        let others = files.filter(\.kind.isMadeLater)
        let lastStored = files.filter { !$0.kind.isMadeLater }.compactMap(\.storedAt).max()
        clips = ClipCount(expected: others.count, stored: others.count(where: \.isStored))
        expected = stills.count
        stored = stills.filter(\.isStored).count
        spread = exposures.max().flatMap { last in exposures.min().map { last - $0 } }
        worstSkew = timings.map { Duration.nanoseconds($0.skewNanoseconds) }.max { $0.magnitude < $1.magnitude }
        worstBound = timings.map(\.midExposure.bound).max()
        timeToDurable = lastStored.map { $0 - shot.time }
        dequeueToDurable = lastStored.flatMap { stored in timings.map(\.dequeued).max().map { stored - $0 } }
    }
}
