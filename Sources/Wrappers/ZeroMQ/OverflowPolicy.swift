/// What a full send queue does with one message more.
public enum OverflowPolicy: Sendable, Hashable {
    /// Refuses the message that comes.
    case refuseNewest
    /// Drops waiting messages, oldest first, until the one that comes fits.
    case dropOldest
}
