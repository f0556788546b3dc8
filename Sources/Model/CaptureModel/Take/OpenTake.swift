/// A take in progress.
public struct OpenTake: Hashable, Sendable {
    public var id: ShotID
    /// T.
    public var time: RigTime
    /// The instant at which its recordings end, once it was stopped.
    public var stopTime: RigTime?
    public var captures: CaptureCounts
    public var marks: Int

    public init(id: ShotID, time: RigTime, stopTime: RigTime?, captures: CaptureCounts, marks: Int) {
        self.id = id
        self.time = time
        self.stopTime = stopTime
        self.captures = captures
        self.marks = marks
    }

    /// - Parameter stopTime: The instant sent to the nodes. It is not durable before it is sent.
    public init(_ shot: Shot, stopTime: RigTime?) {
        func count(_ phase: Capture.Phase) -> Int { shot.captures.count { $0.phase == phase } }
        self.init(
            id: shot.id, time: shot.time, stopTime: stopTime,
            captures: CaptureCounts(
                expected: shot.captures.count, armed: count(.armed), captured: count(.captured), done: count(.done),
                partial: count(.partial), missed: count(.missed), failed: count(.failed)),
            marks: shot.take?.marks.count ?? 0)
    }
}

/// A mark that is durable in its take's manifest.
public struct SetMark: Hashable, Sendable {
    public var take: ShotID
    public var mark: TakeMark
    /// The time after T.
    public var offset: Duration

    public init(take: ShotID, mark: TakeMark, offset: Duration) {
        self.take = take
        self.mark = mark
        self.offset = offset
    }
}

/// The additional state of a take: a shot whose captures are recordings.
public struct Take: Hashable, Sendable {
    /// The instant at which all recordings end, once the take was stopped. It does not change afterwards.
    public var stopTime: RigTime?
    /// In the order in which they were set.
    public var marks: [TakeMark]

    public init(stopTime: RigTime? = nil, marks: [TakeMark] = []) {
        self.stopTime = stopTime
        self.marks = marks
    }

    /// The most marks that a take has.
    public static let markLimit = 1000
}

/// A named instant of a take.
public struct TakeMark: Hashable, Sendable {
    /// Chosen by the client, so that a repeated request sets one mark.
    public var id: UInt64
    public var time: RigTime
    /// 1 to ``longestText`` bytes, all printable.
    public var text: String

    public init(id: UInt64, time: RigTime, text: String) {
        self.id = id
        self.time = time
        self.text = text
    }

    /// The longest text of a mark, in bytes of UTF-8.
    public static let longestText = 256

    /// Returns whether a mark may have this text.
    public static func isValid(text: String) -> Bool {
        (1...longestText).contains(text.utf8.count) && !text.hasUnprintable
    }
}

/// A client's request to end a take.
public struct StopTakeRequest: Hashable, Sendable {
    /// The take to end; nil means the only one that records.
    public var take: ShotID?

    public init(take: ShotID? = nil) {
        self.take = take
    }
}

/// A client's request to set a mark.
public struct MarkTakeRequest: Hashable, Sendable {
    /// The take to mark; nil means the only one that records.
    public var take: ShotID?
    /// Created by the client. A repeated request sets one mark.
    public var mark: UInt64
    /// A text that ``TakeMark/isValid(text:)`` allows.
    public var text: String

    public init(take: ShotID? = nil, mark: UInt64, text: String) {
        self.take = take
        self.mark = mark
        self.text = text
    }
}
