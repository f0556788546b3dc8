/// A rig time that is known only up to a bound: the true instant lies within `time ± bound`, provided the clock
/// assumptions of `docs/design/time.md` hold.
public struct BoundedRigTime: Hashable, Codable, Sendable {
    public var time: RigTime
    /// Largest possible error, in nanoseconds on the wire and in manifests; never negative.
    public var boundNanoseconds: Int64

    public var bound: Duration { .nanoseconds(boundNanoseconds) }

    public init(time: RigTime, bound: Duration) {
        self.time = time
        self.boundNanoseconds = bound.nanoseconds
    }
}
