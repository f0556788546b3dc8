internal import CaptureModel

/// What the client hears of a shot it has asked for.
public enum TriggerUpdate: Hashable, Sendable {
    /// The shot is under way.
    case progress(ShotProgress)
    /// Nothing was heard for a while, so the request was repeated under the same id.
    case repeated
    /// The coordinator's answer; the last update. Its shot is still open where the timeout passed first.
    case answered(LocatedShot)

    /// How long the answer may still take, where the coordinator has said so.
    var answerWithin: Duration? { if case .progress(let progress) = self { progress.answerWithin } else { nil } }
}
