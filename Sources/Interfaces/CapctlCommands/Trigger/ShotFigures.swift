internal import CaptureModel

/// How simultaneous and how quick a shot was, from its manifest alone; nil where no capture says.
struct ShotFigures: Equatable {
    /// The shot's files by sort.
    var files: [FileCount]
    /// From the earliest to the latest mid-exposure.
    var spread: Duration?
    /// The skew that is farthest from T, with its sign.
    var worstSkew: Duration?
    /// The largest bound of any capture's skew.
    var worstBound: Duration?
    /// From the last chosen frame's dequeue until every file was durable that is not made later.
    var dequeueToDurable: Duration?
    /// From T until then.
    var timeToDurable: Duration?

    init(_ shot: Shot) {
        let timings = shot.captures.compactMap(\.timing)
        let files = shot.captures.flatMap(\.files)
        let exposures = timings.map(\.midExposure.time)
        let lastStored = files.filter { !$0.kind.isMadeLater }.compactMap(\.storedAt).max()
        self.files = FileCount.all(files)
        spread = exposures.max().flatMap { last in exposures.min().map { last - $0 } }
        worstSkew = timings.map { Duration.nanoseconds($0.skewNanoseconds) }.max { $0.magnitude < $1.magnitude }
        worstBound = timings.map(\.midExposure.bound).max()
        timeToDurable = lastStored.map { $0 - shot.time }
        dequeueToDurable = lastStored.flatMap { stored in timings.map(\.dequeued).max().map { stored - $0 } }
    }

    /// How many stills are expected and stored.
    var stills: FileCount { files.first { $0.sort == .stills } ?? FileCount(expected: 0, sort: .stills, stored: 0) }
}
