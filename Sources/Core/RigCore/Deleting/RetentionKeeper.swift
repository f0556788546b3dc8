package import CaptureModel
package import Logging
package import RigConfiguration
package import StorageKit

import class PosixSupport.Locked

/// Deletes the shots of the library that its configuration does not keep, oldest day first and within a day in the order of the requests.
///
/// It goes through the library at its start, then after every ``interval``, and when the rule changes. It rests as long as each day has taken, so
/// that shots have the disk. The rig deletes; nothing is deleted that ``RetentionRule`` does not call due. Nothing happens without a rule.
package actor RetentionKeeper {
    static let interval = Duration.seconds(600)

    private struct State: Sendable {
        var rule: RetentionRule?
        var status: RetentionStatus?
    }

    private nonisolated let state: Locked<State>
    private nonisolated let changed: Alarm
    private let rig: Rig
    private let shots: any ShotReading
    private let freeBytes: @Sendable () async -> Int64?
    private let audit: (any RequestAudit)?
    private let clock: any TimeSource
    private let log: Logger

    /// - Parameters:
    ///   - rule: nil: nothing is deleted.
    ///   - shots: Reads the library, on a thread that nothing else waits for.
    ///   - freeBytes: Returns the bytes free for the library; nil if its disk does not report them.
    ///   - audit: nil for a coordinator without keys.
    package init(
        _ rule: CoordinatorConfiguration.Retention?, rig: Rig, shots: any ShotReading,
        freeBytes: @escaping @Sendable () async -> Int64?, audit: (any RequestAudit)?, clock: any TimeSource,
        log: Logger
    ) {
        state = Locked(Self.begun(rule))
        changed = Alarm(clock: clock)
        self.rig = rig
        self.shots = shots
        self.freeBytes = freeBytes
        self.audit = audit
        self.clock = clock
        self.log = log
    }

    private static func begun(_ rule: CoordinatorConfiguration.Retention?) -> State {
        let rule = rule.map(RetentionRule.init)
        return State(rule: rule, status: rule.map { RetentionStatus(rule: $0.text) })
    }

    /// What the last pass has found; nil without a rule.
    package nonisolated var status: RetentionStatus? { state.withLock { $0.status } }

    /// Changes the rule, from the next shot on.
    package nonisolated func change(_ rule: CoordinatorConfiguration.Retention?) {
        let hasChanged = state.withLock { state in
            guard state.rule != rule.map(RetentionRule.init) else { return false }
            state = Self.begun(rule)
            return true
        }
        if hasChanged { changed.ring() }
    }

    /// Works until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            await pass()
            await changed.wait(until: clock.now() + Self.interval)
        }
    }

    /// Goes through the library once.
    func pass() async {
        guard let rule = state.withLock({ $0.rule }) else { return }
        var found = RetentionStatus(rule: rule.text)
        do {
            try await look(rule, &found)
        } catch is CancellationError {
            return
        } catch {
            found.hold(.failed, "the library cannot be looked through: \(error)")
        }
        found.lackingBytes = rule.lacking(free: await freeBytes())
        found.checkedRealtimeNanoseconds = realtime
        let before = state.withLock { state -> RetentionStatus? in
            guard state.rule == rule else { return found }
            defer { state.status = found }
            return state.status
        }
        if before?.heldBack != found.heldBack { tell(found) }
    }

    private var realtime: Int64 { clock.rigWallClock.realtimeNanoseconds }

    private func look(_ rule: RetentionRule, _ found: inout RetentionStatus) async throws {
        for day in try await shots.days().reversed() {
            let began = clock.now()
            guard rule.mayBeDue(day, at: realtime, free: await freeBytes()) else { return }
            for entry in try await shots.list(day.name) {
                try Task.checkCancellation()
                guard state.withLock({ $0.rule }) == rule else { return }
                guard let record = try await shots.record(of: entry.id, day: day.name) else { continue }
                try await judge(record, rule, &found)
            }
            try await clock.sleep(for: clock.now() - began)
        }
    }

    /// Deletes a shot if it is due and nothing keeps it.
    private func judge(_ record: ShotRecord, _ rule: RetentionRule, _ found: inout RetentionStatus) async throws {
        switch record.content {
        // Nothing of a camera belongs to it.
        case .unbegun: return
        // Its time is not known, and with it whether it is due.
        case .damaged(let manifest): found.hold(.failed, "\(manifest)")
        case .shot(let shot, let annotation):
            let candidate = RetentionRule.Candidate(
                realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time),
                isInProgress: await rig.isInProgress(shot), annotation: annotation)
            switch rule.verdict(on: candidate, at: realtime, free: await freeBytes()) {
            case .notDue: return
            case .stays(let obstacle): found.hold(obstacle, shot)
            case .due(let reason, let needsCopy):
                try await delete(shot, because: reason, needsCopy: needsCopy, &found)
            }
        }
    }

    private func delete(
        _ shot: Shot, because reason: ShotDeletion.Reason, needsCopy: Bool, _ found: inout RetentionStatus
    ) async throws {
        let shortfall = await rig.library.shortfallOfCopies(of: shot)
        if needsCopy, let shortfall {
            return found.hold(.onlyCopy, "\(shot.noun) \(shot.id): \(shortfall)")
        }
        let deletion = ShotDeletion(
            of: shot, at: realtime, by: .coordinator, reason, wasOnlyCopy: shortfall != nil)
        audit?.record(deletion)
        do {
            _ = try await rig.carryOut(deletion, of: shot)
        } catch let problem as RigProblem where problem.code == .conflict {
            found.hold(.inProgress, problem.message)
        } catch {
            found.hold(.failed, "\(shot.noun) \(shot.id): \(error)")
        }
    }

    /// Logs what is held back, when that has changed.
    private func tell(_ found: RetentionStatus) {
        guard !found.heldBack.isEmpty else { return log.info("retention holds no shot back") }
        var metadata: Logger.Metadata = found.heldBack.reduce(into: [:]) { metadata, held in
            metadata["shots.\(held.key.rawValue)"] = "\(held.value)"
        }
        metadata["example"] = "\(found.example ?? "-")"
        metadata["lackingBytes"] = "\(found.lackingBytes)"
        log.warning("retention holds shots back that are due", metadata: metadata)
    }
}

extension RetentionStatus {
    fileprivate mutating func hold(_ obstacle: Obstacle, _ text: String) {
        heldBack[obstacle, default: 0] += 1
        if example == nil { example = text }
    }

    fileprivate mutating func hold(_ obstacle: Obstacle, _ shot: Shot) {
        let why = obstacle == .annotated ? "has a title or a note" : "is in progress"
        hold(obstacle, "\(shot.noun) \(shot.id) \(why)")
    }
}

extension Rig {
    /// Whether a shot of the library has no result, or its files are still delivered.
    func isInProgress(_ shot: Shot) -> Bool {
        (try? requireDeletable(shot)) == nil
    }
}
