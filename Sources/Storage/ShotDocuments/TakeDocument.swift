internal import CaptureModel

/// What a take has beside what every shot has: `take`.
struct TakeDocument: Codable, Sendable {
    var stopTime: RigTime?
    var marks: [TakeMarkDocument]

    private enum CodingKeys: String, CodingKey {
        case stopTime = "stopTime"
        case marks = "marks"
    }

    init(_ value: Take) {
        stopTime = value.stopTime
        marks = value.marks.map(TakeMarkDocument.init)
    }

    var value: Take {
        Take(stopTime: stopTime, marks: marks.map(\.value))
    }
}

/// A named instant of a take.
struct TakeMarkDocument: Codable, Sendable {
    var id: UInt64
    var time: RigTime
    var text: String

    private enum CodingKeys: String, CodingKey {
        case id = "id"
        case time = "time"
        case text = "text"
    }

    init(_ value: TakeMark) {
        id = value.id
        time = value.time
        text = value.text
    }

    var value: TakeMark {
        TakeMark(id: id, time: time, text: text)
    }
}
