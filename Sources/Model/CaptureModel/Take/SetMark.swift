/// A mark that is durable in its take's manifest.
public struct SetMark: Hashable, Sendable {
    public var take: ShotID
    public var mark: TakeMark
    /// After T.
    public var offset: Duration

    public init(take: ShotID, mark: TakeMark, offset: Duration) {
        self.take = take
        self.mark = mark
        self.offset = offset
    }
}
