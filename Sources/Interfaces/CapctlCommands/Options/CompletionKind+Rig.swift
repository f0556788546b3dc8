internal import ArgumentParser

/// What a shell completes by asking the coordinator, with the hidden command ``CompleteCommand``.
extension CompletionKind {
    /// Cameras and microphones, as `node/device`.
    static var devices: CompletionKind { .names(.devices) }
    static var nodes: CompletionKind { .names(.nodes) }
    /// Ids of the newest shots.
    static var shots: CompletionKind { .names(.shots) }
    /// Ids of the newest takes.
    static var takes: CompletionKind { .names(.takes) }

    private static func names(_ kind: CompleteCommand.Kind) -> CompletionKind {
        .shellCommand("capctl complete \(kind.rawValue)")
    }
}
