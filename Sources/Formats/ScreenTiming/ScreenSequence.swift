public import CaptureModel

/// A switch of a screen between black and white.
public struct ScreenSwitch: Hashable, Sendable {
    public var time: RigTime
    /// Whether the screen is white from then on.
    public var isWhite: Bool

    public init(time: RigTime, isWhite: Bool) {
        self.time = time
        self.isWhite = isWhite
    }
}

/// When a screen is black and when white: a function of a seed and rig time, so that programs that know both need not talk
/// to each other.
///
/// Each slot of 300 ms of the rig's time line has one switch, at a random place in its first 120 ms: to white in slots with
/// an even number, to black in the others. So a screen never flashes more than twice a second, and no delay of less than
/// hours looks like another one.
public struct ScreenSequence: Hashable, Sendable {
    public let seed: UInt64

    /// Nanoseconds.
    private static let slot: Int64 = 300_000_000
    private static let spread = 120_000_000.0

    public init(seed: UInt64 = 1) {
        self.seed = seed
    }

    /// Returns the switches of a range of time, in order.
    public func switches(from start: RigTime, to end: RigTime) -> [ScreenSwitch] {
        guard start <= end else { return [] }
        return (Self.number(at: start)...Self.number(at: end)).map(toggle)
            .filter { (start...end).contains($0.time) }
    }

    /// Returns the share of a range of time in which the screen is white, 0 to 1; for an empty range, whether it is.
    public func whiteShare(from start: RigTime, to end: RigTime) -> Double {
        guard start < end else { return isWhite(at: start) ? 1 : 0 }
        var white: Int64 = 0
        var (since, color) = (start, isWhite(at: start))
        for next in switches(from: start, to: end) {
            if color { white += (next.time - since).nanoseconds }
            (since, color) = (next.time, next.isWhite)
        }
        if color { white += (end - since).nanoseconds }
        return Double(white) / Double((end - start).nanoseconds)
    }

    private func isWhite(at instant: RigTime) -> Bool {
        let present = toggle(Self.number(at: instant))
        return instant < present.time ? !present.isWhite : present.isWhite
    }

    private func toggle(_ number: Int64) -> ScreenSwitch {
        let bits = SplitMix64.mix(SplitMix64.mix(seed) &+ UInt64(bitPattern: number))
        let place = Int64(SplitMix64.fraction(bits) * Self.spread)
        return ScreenSwitch(
            time: RigTime(nanoseconds: number &* Self.slot &+ place), isWhite: number.isMultiple(of: 2))
    }

    /// Returns the number of the slot that an instant is in.
    private static func number(at instant: RigTime) -> Int64 {
        let quotient = instant.nanoseconds / slot
        return instant.nanoseconds < quotient * slot ? quotient - 1 : quotient
    }
}
