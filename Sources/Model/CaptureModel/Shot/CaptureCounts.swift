/// The captures of a shot, counted by phase.
public struct CaptureCounts: Hashable, Sendable {
    /// All captures. Each is also in exactly one of the other counts except `awaitingCompanions`, or is not armed yet.
    public var expected: Int
    public var armed: Int
    /// Captures that record, or whose files are being made or collected.
    public var captured: Int
    /// The part of `captured` whose photo is durable in the library, while a companion file such as a clip is outstanding.
    public var awaitingCompanions: Int
    public var done: Int
    /// Captures that lack a companion file, have a file that is less than was requested, or whose movie ended early.
    public var partial: Int
    public var missed: Int
    public var failed: Int

    public init(
        expected: Int, armed: Int = 0, captured: Int = 0, awaitingCompanions: Int = 0, done: Int = 0, partial: Int = 0,
        missed: Int = 0, failed: Int = 0
    ) {
        self.expected = expected
        self.armed = armed
        self.captured = captured
        self.awaitingCompanions = awaitingCompanions
        self.done = done
        self.partial = partial
        self.missed = missed
        self.failed = failed
    }

    /// Captures that are not armed yet.
    public var preparing: Int { expected - armed - captured - done - partial - missed - failed }
}
