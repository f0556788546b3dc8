/// What somebody who triggers a shot waits for. The shot goes on in either case.
public enum TriggerWait: String, CaseIterable, Sendable {
    /// The stills of every camera.
    case stills
    /// Also the files that are made later, such as clips.
    case all

    /// Whether the wait is over before the coordinator answers.
    public func isOver(at progress: ShotProgress) -> Bool { self == .stills && progress.stillsAreSettled }
}
