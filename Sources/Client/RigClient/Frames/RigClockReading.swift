public import CaptureModel

/// What a program knows of rig time: its own clock plus an offset, within a bound.
public struct RigClockReading: Hashable, Sendable {
    public var clock: RigClockID
    /// Rig time minus this machine's clock.
    public var offset: Duration
    /// Largest error of `offset`, when it was read.
    public var bound: Duration

    public init(clock: RigClockID, offset: Duration, bound: Duration) {
        self.clock = clock
        self.offset = offset
        self.bound = bound
    }

    /// Rig time at an instant of this machine's clock.
    public func rigTime(at local: LocalTime) -> BoundedRigTime {
        BoundedRigTime(time: RigTime(nanoseconds: local.nanoseconds) + offset, bound: bound)
    }
}

extension RigClient {
    /// Reads the rig's clock, as well as a few requests can tell: the answer of the quickest was made somewhere between
    /// its sending and its arrival.
    /// - Parameter own: This process's clock. Where it is the rig's own, there is nothing to read.
    public func rigClock(own: RigClockID?) async throws(RigClientError) -> RigClockReading {
        var best: RigClockReading?
        for _ in 0..<8 {
            let sent = time.now()
            let status = try await status()
            let received = time.now()
            if status.rigClock == own { return RigClockReading(clock: status.rigClock, offset: .zero, bound: .zero) }
            let bound = (received - sent) / 2
            let local = RigTime(nanoseconds: sent.nanoseconds) + bound
            if bound < best?.bound ?? .seconds(3600) {
                best = RigClockReading(clock: status.rigClock, offset: status.now - local, bound: bound)
            }
        }
        guard let best else { throw .noCoordinator(endpoint, operation: "status", waited: patience) }
        return best
    }
}
