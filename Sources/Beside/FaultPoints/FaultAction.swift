internal import Glibc

/// What can happen at a point.
public enum FaultAbility: String, Hashable, Sendable, CaseIterable {
    /// The process sends SIGKILL to itself.
    case crash
    /// The process sends SIGSTOP to itself, until it is continued.
    case stop
    /// The thread or task does not continue; a task continues when it is cancelled.
    case hang
    /// The thread or task continues later.
    case delay
    /// The step is not performed and fails with an errno.
    case fail
    /// The message is not sent, and its sender is not informed.
    case drop
    /// The message is sent twice.
    case duplicate
    /// The message is sent after the next one of its socket.
    case hold
}

/// The action of a rule at its point.
public enum FaultAction: Hashable, Sendable {
    case crash
    case stop
    case hang
    case delay(Duration)
    /// Fails with this errno.
    case fail(CInt)
    case drop
    case duplicate
    case hold

    /// The ability that a point needs for this action.
    public var ability: FaultAbility {
        switch self {
        case .crash: .crash
        case .stop: .stop
        case .hang: .hang
        case .delay: .delay
        case .fail: .fail
        case .drop: .drop
        case .duplicate: .duplicate
        case .hold: .hold
        }
    }

    /// Parses `crash`, `delay:250ms`, `fail:ENOSPC` and so on.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let ability = FaultAbility(rawValue: parts[0]) else { return nil }
        let argument = parts.count == 2 ? parts[1] : nil
        switch (ability, argument) {
        case (.crash, nil): self = .crash
        case (.stop, nil): self = .stop
        case (.hang, nil): self = .hang
        case (.drop, nil): self = .drop
        case (.duplicate, nil): self = .duplicate
        case (.hold, nil): self = .hold
        case (.delay, let argument?):
            guard argument.hasSuffix("ms"), let milliseconds = Int64(argument.dropLast(2)),
                (0...3_600_000).contains(milliseconds)
            else { return nil }
            self = .delay(.milliseconds(milliseconds))
        case (.fail, let argument?):
            guard let code = Self.codes[argument] else { return nil }
            self = .fail(code)
        default: return nil
        }
    }

    /// The errors of a failing disk.
    private static let codes = [
        "EACCES": EACCES, "EDQUOT": EDQUOT, "EIO": EIO, "EMFILE": EMFILE, "ENOSPC": ENOSPC, "EROFS": EROFS,
    ]
}
