public import CaptureModel
public import RigProtocol

extension OpenTake {
    public init(wire: WireOpenTake) throws(WireError) {
        self.init(
            id: try FieldReader("OpenTake").shotID(wire.takeID), time: RigTime(nanoseconds: wire.rigTimeNs),
            stopTime: wire.hasStopRigNs ? RigTime(nanoseconds: wire.stopRigNs) : nil,
            captures: try CaptureCounts(wire: wire.captures), marks: Int(wire.marks))
    }

    public var wire: WireOpenTake {
        var wire = WireOpenTake()
        wire.takeID = id.wire
        wire.rigTimeNs = time.nanoseconds
        if let stopTime { wire.stopRigNs = stopTime.nanoseconds }
        wire.captures = captures.wire
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

extension StopTakeRequest {
    public init(wire: WireStopTake) throws(WireError) {
        self.init(take: wire.takeID.isEmpty ? nil : try FieldReader("StopTake").shotID(wire.takeID))
    }

    public var wire: WireStopTake {
        var wire = WireStopTake()
        if let take { wire.takeID = take.wire }
        return wire
    }
}

extension MarkTakeRequest {
    public init(wire: WireMarkTake) throws(WireError) {
        let reader = FieldReader("MarkTake")
        guard TakeMark.isValid(text: wire.text) else {
            throw reader.invalid("text", "must have 1 to \(TakeMark.longestText) bytes without control characters")
        }
        self.init(
            take: wire.takeID.isEmpty ? nil : try reader.shotID(wire.takeID), mark: wire.markID, text: wire.text)
    }

    public var wire: WireMarkTake {
        var wire = WireMarkTake()
        if let take { wire.takeID = take.wire }
        wire.markID = mark
        wire.text = text
        return wire
    }
}
