package import CaptureModel
import Logging
import ShotDocuments
import StorageKit

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
    /// How far the wall clock moves against the rig's clock until the date of a hold's end follows it.
    static let dateTolerance = Duration.seconds(1)

    var heldState: HeldState {
        let wallClock = wallClock
        return HeldState(
            status: hold.present(at: wallClock.monotonic).map { hold in
                HoldStatus(hold, endsRealtimeNanoseconds: endDate(of: hold, wallClock))
            })
    }

    /// The date at which a hold ends. Two readings of the clocks differ by nanoseconds, and a hold that nobody has changed keeps its version, so
    /// the date stays until the wall clock has moved by ``dateTolerance``.
    private func endDate(of hold: RigHold, _ wallClock: WallClockPair<RigTimeBase>) -> Int64 {
        let date = wallClock.realtimeNanoseconds(at: hold.ends)
        if let told = toldHoldEnd, told.ends == hold.ends {
            let moved = Duration.nanoseconds(date) - .nanoseconds(told.realtimeNanoseconds)
            if (.zero - Self.dateTolerance...Self.dateTolerance).contains(moved) { return told.realtimeNanoseconds }
        }
        toldHoldEnd = (hold.ends, date)
        return date
    }

    /// When the hold is over; nil if nobody holds the rig.
    var holdDeadline: LocalTime? {
        // The rig's time line is this machine's clock.
        hold.hold.map { LocalTime(nanoseconds: $0.ends.nanoseconds) }
    }

    /// - Throws: `held`, which names the holder, if somebody else holds the rig.
    func requireNotHeld(against principal: Principal) throws(RigProblem) {
        let wallClock = wallClock
        guard let hold = hold.obstacle(to: principal, at: wallClock.monotonic) else { return }
        throw RigProblem(heldBy: hold, at: wallClock)
    }

    /// Changes the hold at once. Returns when it is stored, or the attempt has failed: a hold works without a disk, and then ends with
    /// this run of the coordinator.
    /// - Parameter condition: Compared with ``HeldState/version`` in the same step; nil: the state may be any.
    /// - Throws: `held` if somebody else holds the rig; then `preconditionFailed` if the condition does not hold; `unsupportedSettings` if the
    ///   request is not valid, or the requester has no name.
    func carryOut(
        _ command: HoldChange, by principal: Principal, if condition: ChangeCondition? = nil
    ) async throws(RigProblem) -> HeldState {
        var changed = hold
        let changes: [HoldMachine.Change]?
        switch command {
        case .take(let request):
            if let problem = request.problem(of: principal) { throw problem }
            changes = changed.take(request, by: principal, at: now)
        case .release(let overrides):
            changes = changed.release(overriding: overrides, by: principal, at: now)
        }
        guard let changes else {
            try requireNotHeld(against: principal)
            // Its end was reached in between.
            return try await carryOut(command, by: principal, if: condition)
        }
        if let condition, !condition.holds(for: heldState.version) {
            throw RigProblem(
                .preconditionFailed,
                "the hold of the rig has changed since it was read, so nothing was changed; read it again, and decide on what it is then"
            )
        }
        hold = changed
        let state = heldState
        await tell(changes)
        return state
    }

    /// Ends a hold whose time has come.
    func expireHold() async {
        await tell(hold.expire(at: now))
    }

    private func tell(_ changes: [HoldMachine.Change]) async {
        guard !changes.isEmpty else { return }
        deadlinesChanged()
        for change in changes {
            log.info("the hold of the rig changes", metadata: change.logged)
            await announce(change.event, details: change.details)
        }
        await saveHold()
    }

    private func saveHold() async {
        guard let holdStore else { return }
        do {
            try await holdStore.replace(with: hold.hold.map { StoredHold($0, rigClock: clockID) })
        } catch {
            log.error("the hold of the rig cannot be written", metadata: ["reason": "\(error)"])
        }
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
    fileprivate func problem(of principal: Principal) -> RigProblem? {
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
