public import CaptureModel
public import RigProtocol

extension OpenTake {
    public init(wire: WireOpenTake) throws(WireError) {
        self.init(
            id: try FieldReader("OpenTake").shotID(wire.takeID), time: RigTime(nanoseconds: wire.rigTimeNs),
            stopTime: wire.hasStopRigNs ? RigTime(nanoseconds: wire.stopRigNs) : nil, expected: Int(wire.expected),
            armed: Int(wire.armed), captured: Int(wire.captured), done: Int(wire.done), partial: Int(wire.partial),
            missed: Int(wire.missed), failed: Int(wire.failed), marks: Int(wire.marks))
    }

    public var wire: WireOpenTake {
        var wire = WireOpenTake()
        wire.takeID = id.wire
        wire.rigTimeNs = time.nanoseconds
        if let stopTime { wire.stopRigNs = stopTime.nanoseconds }
        wire.expected = UInt32(clamping: expected)
        wire.armed = UInt32(clamping: armed)
        wire.captured = UInt32(clamping: captured)
        wire.done = UInt32(clamping: done)
        wire.partial = UInt32(clamping: partial)
        wire.missed = UInt32(clamping: missed)
        wire.failed = UInt32(clamping: failed)
        wire.marks = UInt32(clamping: marks)
        return wire
    }
}

extension SetMark {
    public init(wire: WireTakeMark) throws(WireError) {
        self.init(
            take: try FieldReader("TakeMark").shotID(wire.takeID),
            mark: TakeMark(
                id: wire.markID, time: RigTime(nanoseconds: wire.rigTimeNs),
                text: wire.text.sentence(limit: TakeMark.longestText)),
            offset: .nanoseconds(wire.offsetNs))
    }

    public var wire: WireTakeMark {
        var wire = WireTakeMark()
        wire.takeID = take.wire
        wire.markID = mark.id
        wire.rigTimeNs = mark.time.nanoseconds
        wire.text = mark.text
        wire.offsetNs = offset.nanoseconds
        return wire
    }
}
