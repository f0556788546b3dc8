public import CaptureModel
public import RigProtocol

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
