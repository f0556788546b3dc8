/// A clock on which instants are counted.
public protocol TimeBase: Sendable {}
