public import CaptureModel

/// A hold with the time line on which its instants are counted.
public struct StoredHold: Hashable, Sendable {
    public var hold: RigHold
    public var rigClock: RigClockID

    public init(_ hold: RigHold, rigClock: RigClockID) {
        self.hold = hold
        self.rigClock = rigClock
    }
}
