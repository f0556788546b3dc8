public import CaptureModel

/// A shot or take as JSON: the object that `docs/schema/shot-v2.json` describes, without its dates.
///
/// The types of this module define the format, and those of the model that are documents, such as ``ShotRequest``. Their keys are written out, so that a name in Swift, here or in the model, can change
/// without changing the format. If a value is nil in the model, its member is absent. Unknown members are ignored.
public struct ShotDocument: Codable, Sendable {
    var schemaVersion: Int
    var id: ShotID
    var revision: Int
    var status: Shot.Status
    var time: RigTime
    var rigClock: RigClockID
    var wallClock: WallClockDocument
    var coordinatorEpoch: Epoch
    var request: ShotRequest
    var triggeredBy: PrincipalDocument?
    var limits: TimingLimits?
    var prediction: SpreadPrediction?
    var simultaneity: Simultaneity?
    var captures: [CaptureDocument]
    /// Absent if empty.
    var leftOut: [LeftOutCamera]?
    var take: TakeDocument?
    var answeredAt: RigTime?
    var settledAt: RigTime?

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case id = "id"
        case revision = "revision"
        case status = "status"
        case time = "time"
        case rigClock = "rigClock"
        case wallClock = "wallClock"
        case coordinatorEpoch = "coordinatorEpoch"
        case request = "request"
        case triggeredBy = "triggeredBy"
        case limits = "limits"
        case prediction = "prediction"
        case simultaneity = "simultaneity"
        case captures = "captures"
        case leftOut = "leftOut"
        case take = "take"
        case answeredAt = "answeredAt"
        case settledAt = "settledAt"
    }

    public init(_ value: Shot) {
        schemaVersion = value.schemaVersion
        id = value.id
        revision = value.revision
        status = value.status
        time = value.time
        rigClock = value.rigClock
        wallClock = WallClockDocument(value.wallClock)
        coordinatorEpoch = value.coordinatorEpoch
        request = value.request
        triggeredBy = value.triggeredBy.map(PrincipalDocument.init)
        limits = value.limits
        prediction = value.prediction
        simultaneity = value.simultaneity
        captures = value.captures.map(CaptureDocument.init)
        leftOut = value.leftOut.isEmpty ? nil : value.leftOut
        take = value.take.map(TakeDocument.init)
        answeredAt = value.answeredAt
        settledAt = value.settledAt
    }

    public var value: Shot {
        var value = Shot(
            id: id, time: time, rigClock: rigClock, wallClock: wallClock.value, coordinatorEpoch: coordinatorEpoch,
            request: request, triggeredBy: triggeredBy?.value, limits: limits, prediction: prediction, captures: [],
            leftOut: leftOut ?? [])
        value.simultaneity = simultaneity
        value.schemaVersion = schemaVersion
        value.revision = revision
        value.status = status
        value.captures = captures.map(\.value)
        value.take = take?.value
        value.answeredAt = answeredAt
        value.settledAt = settledAt
        return value
    }
}

/// Two clocks of the coordinator at one instant.
struct WallClockDocument: Codable, Sendable {
    var monotonic: RigTime
    var realtimeNanoseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case monotonic = "monotonic"
        case realtimeNanoseconds = "realtimeNanoseconds"
    }

    init(_ value: WallClockPair<RigTimeBase>) {
        monotonic = value.monotonic
        realtimeNanoseconds = value.realtimeNanoseconds
    }

    var value: WallClockPair<RigTimeBase> {
        WallClockPair(monotonic: monotonic, realtimeNanoseconds: realtimeNanoseconds)
    }
}

/// Who triggered the shot: `triggeredBy`.
struct PrincipalDocument: Codable, Sendable {
    let value: Principal

    private enum CodingKeys: String, CodingKey {
        case name = "name"
        case isAuthenticated = "isAuthenticated"
    }

    init(_ value: Principal) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let name = try members.decode(String.self, forKey: .name)
        let isAuthenticated = try members.decode(Bool.self, forKey: .isAuthenticated)
        guard let value = Principal(recorded: name, isAuthenticated: isAuthenticated) else {
            let reason = "no principal has this name"
            throw DecodingError.dataCorruptedError(forKey: .name, in: members, debugDescription: reason)
        }
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(value.name, forKey: .name)
        try members.encode(value.isAuthenticated, forKey: .isAuthenticated)
    }
}

/// What a take has in addition to a shot: `take`.
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
