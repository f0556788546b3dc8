public import CaptureModel
internal import RigProtocol
internal import RigWire

/// A take under way; every capture is in exactly one of the counts but `expected`, or not yet armed.
public struct OpenTake: Hashable, Sendable {
    public var id: ShotID
    /// T.
    public var time: RigTime
    /// The instant at which its recordings end, once it was stopped.
    public var stopTime: RigTime?
    public var expected: Int
    public var armed: Int
    /// Recording, or with files that are being made or collected.
    public var captured: Int
    public var done: Int
    public var partial: Int
    public var missed: Int
    public var failed: Int
    public var marks: Int
}

extension OpenTake {
    init(wire: WireOpenTake) throws(WireError) {
        self.init(
            id: try FieldReader("OpenTake").shotID(wire.takeID), time: RigTime(nanoseconds: wire.rigTimeNs),
            stopTime: wire.hasStopRigNs ? RigTime(nanoseconds: wire.stopRigNs) : nil, expected: Int(wire.expected),
            armed: Int(wire.armed), captured: Int(wire.captured), done: Int(wire.done), partial: Int(wire.partial),
            missed: Int(wire.missed), failed: Int(wire.failed), marks: Int(wire.marks))
    }
}
