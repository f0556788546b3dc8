public import CaptureModel

/// Simultaneity and speed of a shot, from its manifest alone; nil if no capture has a value. Instants that cannot be true do not count.
public struct ShotFigures: Equatable, Sendable {
    /// The shot's files by sort.
    public var files: [FileCount]
    /// Of at least two pictures. Computed here, since earlier programs did not record it.
    public var simultaneity: Simultaneity?
    /// The skew that is farthest from zero, with its sign.
    public var worstSkew: Duration?
    /// The largest bound of any capture's skew.
    public var worstBound: Duration?
    /// Time from the dequeue of the last chosen frame until all files were durable, except those that are made later.
    public var dequeueToDurable: Duration?
    /// Time from T until all these files were durable.
    public var timeToDurable: Duration?

    public init(_ shot: Shot) {
        let timings = shot.captures.compactMap(\.credibleTiming)
        let files = shot.captures.flatMap(\.files)
        let lastStored = files.filter { !$0.kind.isMadeLater }.compactMap(\.storedAt).max()
        self.files = FileCount.all(files)
        simultaneity = Simultaneity(of: shot.captures)
        worstSkew = timings.map { Duration.nanoseconds($0.skewNanoseconds) }.max { $0.magnitude < $1.magnitude }
        worstBound = timings.map(\.midExposure.bound).max()
        timeToDurable = lastStored.map { $0 - shot.time }
        dequeueToDurable = lastStored.flatMap { stored in timings.map(\.dequeued).max().map { stored - $0 } }
    }

    /// From the earliest to the latest mid-exposure; zero for one picture.
    public var spread: Duration? { simultaneity?.spread ?? worstSkew.map { _ in .zero } }

    /// How many stills are expected and stored.
    public var stills: FileCount {
        files.first { $0.sort == .stills } ?? FileCount(expected: 0, sort: .stills, stored: 0)
    }
}
