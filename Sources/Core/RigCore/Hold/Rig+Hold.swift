package import CaptureModel
import Logging
import ShotDocuments

/// A command about the hold of the rig.
package enum HoldChange: Hashable, Sendable {
    case take(HoldRequest)
    /// - Parameter overriding: The name of the holder whose hold an administrator ends; nil for the requester's own.
    case release(overriding: String?)
}

/// Whether the rig is held.
package struct HeldState: Hashable, Sendable {
    /// nil if nobody holds the rig.
    package var status: HoldStatus?

    /// Differs whenever the status does.
    package var version: ContentDigest {
        guard let status else { return ContentDigest(hashing: ["free"]) }
        let hold = status.hold
        return ContentDigest(hashing: [
            "held", hold.holder.name, "\(hold.holder.isAuthenticated)", hold.note, "\(hold.taken.nanoseconds)",
            "\(hold.ends.nanoseconds)", "\(status.endsRealtimeNanoseconds)",
        ])
    }
}

/// Keeps the rig for one person at a time.
extension Rig {
    /// Changes the hold at once. Returns when it is stored, or the attempt has failed.
    /// - Parameter condition: Compared with ``HeldState/version`` in the same step; nil: the state may be any.
    /// - Throws: As ``HoldMachine/carryOut(_:by:if:at:)``.
    func carryOut(
        _ command: HoldChange, by principal: Principal, if condition: ChangeCondition? = nil
    ) async throws(RigProblem) -> HeldState {
        let (changes, state) = try hold.carryOut(command, by: principal, if: condition)
        await tell(changes)
        return state
    }

    /// Announces changes of the hold, and stores it.
    func tell(_ changes: [HoldMachine.Change]) async {
        guard !changes.isEmpty else { return }
        deadlinesChanged()
        for change in changes {
            log.info("the hold of the rig changes", metadata: change.logged)
            await announce(change.event, details: change.details)
        }
        await hold.save()
    }
}

extension HoldChange {
    /// The metadata of the command's log line.
    var logged: [String: String] {
        switch self {
        case .take(let request):
            ["command": "hold", "seconds": "\(request.duration.components.seconds)"].adding(request.overrides)
        case .release(let overrides): ["command": "release"].adding(overrides)
        }
    }

    /// What the audit log records beside the request.
    var audited: [String: String] {
        switch self {
        case .take(let request):
            ["note": request.note ?? "", "seconds": "\(request.duration.components.seconds)"].adding(request.overrides)
        case .release(let overrides): [:].adding(overrides)
        }
    }
}

extension [String: String] {
    fileprivate func adding(_ overrides: String?) -> [String: String] {
        guard let overrides else { return self }
        return merging(["overrides": overrides]) { own, _ in own }
    }
}

extension HoldRequest {
    func problem(of principal: Principal) -> RigProblem? {
        guard principal != .unnamed else {
            return RigProblem(.unsupportedSettings, "a hold has the name of its holder, and this client gives none")
        }
        guard RigHold.durations.contains(duration), RigHold.isValid(note: note ?? "") else {
            return RigProblem(
                .unsupportedSettings,
                "a hold lasts 10 s to 4 h, and its note is one line of at most \(RigHold.longestNote) bytes")
        }
        return nil
    }
}

extension RigProblem {
    init(heldBy hold: RigHold, at wallClock: WallClockPair<RigTimeBase>) {
        let name = hold.holder.name
        let end = wallClock.realtimeNanoseconds(at: hold.ends)
        let rest = (hold.ends - wallClock.monotonic).nanoseconds
        self.init(
            .held,
            "\(name) holds the rig\(hold.note.isEmpty ? "" : " (\(hold.note))") until \(Self.timeOfDay(end)) UTC, for another "
                + "\(Self.rest(rest)); wait, ask \(name) to release it (`capctl hold release`), or let an administrator "
                + "override it (`capctl hold --override`)")
    }

    private static func timeOfDay(_ realtimeNanoseconds: Int64) -> String {
        let seconds = (realtimeNanoseconds / 1_000_000_000 % 86_400 + 86_400) % 86_400
        return [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// Rounded up, so that nobody comes back too early.
    private static func rest(_ nanoseconds: Int64) -> String {
        let seconds = (nanoseconds + 999_999_999) / 1_000_000_000
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
    }
}

extension HoldMachine.Change {
    private var hold: RigHold {
        switch self {
        case .taken(let hold), .renewed(let hold), .released(let hold), .expired(let hold), .overridden(let hold, _):
            hold
        }
    }

    fileprivate var event: EventName {
        switch self {
        case .taken: .holdTaken
        case .renewed: .holdRenewed
        case .released: .holdReleased
        case .expired: .holdExpired
        case .overridden: .holdOverridden
        }
    }

    fileprivate var details: [String: String] {
        var details = ["holder": hold.holder.name]
        if !hold.note.isEmpty { details["note"] = hold.note }
        switch self {
        case .taken, .renewed: details["endsNanoseconds"] = "\(hold.ends.nanoseconds)"
        case .released, .expired: break
        case .overridden(_, let principal): details["by"] = principal.name
        }
        return details
    }

    fileprivate var logged: Logger.Metadata {
        var metadata: Logger.Metadata = details.mapValues { .string($0) }
        metadata["event"] = .string(event.rawValue)
        return metadata
    }
}

extension EventName {
    static let holdTaken = EventName(rawValue: "hold.taken")
    static let holdRenewed = EventName(rawValue: "hold.renewed")
    static let holdReleased = EventName(rawValue: "hold.released")
    static let holdExpired = EventName(rawValue: "hold.expired")
    static let holdOverridden = EventName(rawValue: "hold.overridden")
}
