public import CaptureModel

/// Finds shots of a library by what they are. The library's manifests are the truth; whatever a catalogue keeps beside
/// them can be deleted and is made anew.
public protocol Catalogue: Sendable {
    /// A manifest of this shot has become durable, or what people say about it has changed. Returns at once and never
    /// fails: a shot waits for no catalogue.
    func note(_ shot: Shot)

    /// Shots, newest day first and within a day by id, whose order is that of the requests. What has been noted is in
    /// the answer.
    /// - Throws: `inputOutput` where the library itself cannot be read; never because of what is kept beside it.
    func shots(_ page: ShotPage) async throws(CaptureProblem) -> CatalogueListing
}

/// Which shots, and how many at a time.
public struct ShotPage: Hashable, Sendable {
    public var query: ShotQuery
    /// How many at most.
    public var limit: Int
    /// Continue after this shot, the last one of the page before; an unknown one lists nothing.
    public var before: ShotID?

    public init(_ query: ShotQuery, limit: Int, before: ShotID? = nil) {
        self.query = query
        self.limit = limit
        self.before = before
    }
}
