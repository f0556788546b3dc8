internal import CaptureModel
internal import RigProtocol
internal import RigWire

/// A request that is answered when a shot or a take has its outcome, with progress meanwhile.
enum ShotErrand: Sendable {
    case trigger(TriggerRequest)
    case stop(StopTakeRequest)

    var body: WireClientRequest.OneOf_Body {
        switch self {
        case .trigger(let request): .trigger(request.wire)
        case .stop(let request): .stopTake(request.wire)
        }
    }

    var operation: String {
        switch self {
        case .trigger(let request): request.request.settings.movie == nil ? "trigger" : "record start"
        case .stop: "record stop"
        }
    }

    /// What is repeated is about this shot, also where the request left open which.
    mutating func settleOn(_ shot: ShotID) {
        if case .stop(let request) = self, request.take == nil { self = .stop(StopTakeRequest(take: shot)) }
    }

    /// How to go on where the answer has not come.
    var advice: String {
        switch self {
        case .trigger(let request):
            "ask with `capctl shots show \(request.shot)`, or repeat the command with `--id \(request.shot)`"
        case .stop: "repeat the command, or ask with `capctl record status`"
        }
    }
}
