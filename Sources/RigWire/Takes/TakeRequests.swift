public import CaptureModel
public import RigProtocol

/// A client's order to end a take: `StopTake` on the wire.
public struct StopTakeRequest: Hashable, Sendable {
    /// nil: the only one that records.
    public var take: ShotID?

    public init(take: ShotID? = nil) {
        self.take = take
    }

    public init(wire: WireStopTake) throws(WireError) {
        self.init(take: wire.takeID.isEmpty ? nil : try FieldReader("StopTake").shotID(wire.takeID))
    }

    public var wire: WireStopTake {
        var wire = WireStopTake()
        if let take { wire.takeID = take.wire }
        return wire
    }
}

/// A client's order to set a mark: `MarkTake` on the wire.
public struct MarkTakeRequest: Hashable, Sendable {
    /// nil: the only one that records.
    public var take: ShotID?
    /// Minted by the client; repeating it sets one mark.
    public var mark: UInt64
    public var text: String

    public init(take: ShotID? = nil, mark: UInt64, text: String) {
        self.take = take
        self.mark = mark
        self.text = text
    }

    public init(wire: WireMarkTake) throws(WireError) {
        let reader = FieldReader("MarkTake")
        guard (1...TakeMark.longestText).contains(wire.text.utf8.count),
            wire.text.unicodeScalars.allSatisfy({ !$0.isControl })
        else {
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
