/// What a take has beside what every shot has: a shot whose captures are recordings.
public struct Take: Hashable, Sendable {
    /// The instant at which all recordings end, once somebody has stopped the take. It moves no more.
    public var stopTime: RigTime?
    /// In the order in which they were set.
    public var marks: [TakeMark]

    public init(stopTime: RigTime? = nil, marks: [TakeMark] = []) {
        self.stopTime = stopTime
        self.marks = marks
    }

    /// How many marks a take has at most.
    public static let markLimit = 1000
}

/// A named instant of a take.
public struct TakeMark: Hashable, Sendable {
    /// Chosen by who sets it, so that a repeated request sets one mark.
    public var id: UInt64
    public var time: RigTime
    /// 1 to ``longestText`` bytes without control characters.
    public var text: String

    public init(id: UInt64, time: RigTime, text: String) {
        self.id = id
        self.time = time
        self.text = text
    }

    /// UTF-8 bytes of a mark's text.
    public static let longestText = 256

    /// Whether a mark may have this text.
    public static func isValid(text: String) -> Bool {
        (1...longestText).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
