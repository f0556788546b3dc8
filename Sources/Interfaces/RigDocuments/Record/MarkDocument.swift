public import CaptureModel

/// A mark that was set: `capctl record mark`.
public struct MarkDocument: Encodable, Sendable {
    /// From T.
    var offsetNanoseconds: Integer64
    var take: ShotID
    var text: String

    public init(_ mark: SetMark) {
        offsetNanoseconds = Integer64(mark.offset.nanoseconds)
        take = mark.take
        text = mark.mark.text
    }
}
