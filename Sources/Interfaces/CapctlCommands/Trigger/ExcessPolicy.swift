internal import CaptureModel

/// What `capctl` does with a shot whose pictures exceed its limits.
enum ExcessPolicy: String {
    case mark, refuse
    /// Takes further shots, which have ids of their own: a coordinator takes only what it is asked for.
    case retry

    /// What the coordinator does with each shot.
    var ofEachShot: TimingLimits.OnExcess { self == .mark ? .mark : .refuse }
}
