public import CaptureModel
internal import RigProtocol
internal import RigWire

/// A mark that is durable in its take's manifest.
public struct SetMark: Hashable, Sendable {
    public var take: ShotID
    public var mark: TakeMark
    /// After T.
    public var offset: Duration
}

extension SetMark {
    init(wire: WireTakeMark) throws(WireError) {
        self.init(
            take: try FieldReader("TakeMark").shotID(wire.takeID),
            mark: TakeMark(
                id: wire.markID, time: RigTime(nanoseconds: wire.rigTimeNs),
                text: wire.text.sentence(limit: TakeMark.longestText)),
            offset: .nanoseconds(wire.offsetNs))
    }
}
