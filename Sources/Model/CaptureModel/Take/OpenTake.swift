/// A take under way; every capture is in exactly one of the counts but `expected`, or not yet armed.
public struct OpenTake: Hashable, Sendable {
    public var id: ShotID
    /// T.
    public var time: RigTime
    /// The instant at which its recordings end, once it was stopped.
    public var stopTime: RigTime?
    public var expected: Int
    public var armed: Int
    /// Recording, or with files that are being made or collected.
    public var captured: Int
    public var done: Int
    public var partial: Int
    public var missed: Int
    public var failed: Int
    public var marks: Int

    public init(
        id: ShotID, time: RigTime, stopTime: RigTime?, expected: Int, armed: Int, captured: Int, done: Int,
        partial: Int, missed: Int, failed: Int, marks: Int
    ) {
        self.id = id
        self.time = time
        self.stopTime = stopTime
        self.expected = expected
        self.armed = armed
        self.captured = captured
        self.done = done
        self.partial = partial
        self.missed = missed
        self.failed = failed
        self.marks = marks
    }

    /// - Parameter stopTime: The instant that the nodes are told, which is not durable before they are.
    public init(_ shot: Shot, stopTime: RigTime?) {
        func count(_ phase: Capture.Phase) -> Int { shot.captures.count { $0.phase == phase } }
        self.init(
            id: shot.id, time: shot.time, stopTime: stopTime, expected: shot.captures.count, armed: count(.armed),
            captured: count(.captured), done: count(.done), partial: count(.partial), missed: count(.missed),
            failed: count(.failed), marks: shot.take?.marks.count ?? 0)
    }
}
