/// A step of a settings transaction at one camera.
///
/// | step | the node |
/// |---|---|
/// | prepare | resolves the settings, keeps what sets and what undoes them for ``keepingTime``; sets nothing |
/// | commit | sets the controls so that they act at T; answers when it is known from which frame on the pictures have the values |
/// | undo | drops what was prepared, or puts back the values that the camera had before |
/// | give up | as undo; if it had set nothing, it remembers durably that it never prepares the transaction |
///
/// Each may be repeated. A step that was carried out is answered as the first time.
public enum SettingsStep: Hashable, Sendable {
    case prepare(CaptureSettings)
    case commit(at: RigTime)
    case undo
    /// The coordinator has refused the transaction before any camera was told to set.
    case giveUp

    /// How long a node keeps what it has prepared if nothing follows, so that a coordinator that has gone blocks no camera.
    public static let keepingTime = Duration.seconds(30)
}

/// What a node answers to a step.
public enum SettingsStepResult: Hashable, Sendable {
    case prepared(SettingsPreparation)
    case applied(SettingsEffect)
    /// The camera does not stream, for this reason. The node has stored the settings durably, and gives them to it before its next first frame.
    case deferred(RigProblem)
    /// The camera has the values that it had before the transaction.
    case undone
}
