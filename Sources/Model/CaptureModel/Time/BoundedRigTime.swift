/// A rig time with an error bound: the true instant is within `time ± bound`, if the clock assumptions of `docs/design/time.md` hold.
public struct BoundedRigTime: Hashable, Codable, Sendable {
    public var time: RigTime
    /// The largest possible error; never negative. Nanoseconds, as on the wire and in manifests.
    public var boundNanoseconds: Int64

    public var bound: Duration { .nanoseconds(boundNanoseconds) }

    public init(time: RigTime, bound: Duration) {
        self.time = time
        self.boundNanoseconds = bound.nanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case time = "time"
        case boundNanoseconds = "boundNanoseconds"
    }
}
