import CaptureEngine
import CaptureModel
import Spool

/// The orderly end of an agent that runs: no further shots are taken on, and captures under way are finished or told to
/// be lost, so that nobody waits for them.
struct AgentShutdown: Sendable {
    /// How long captures under way may take to be made and to reach the library.
    static let limit = Duration.seconds(3)

    let member: RigMember
    let sessions: [CaptureSession]
    let spool: Spool
    let clock: any TimeSource

    /// Returns when the cameras may be closed. Pictures that are being made then are stored all the same, and offered by
    /// the next start.
    func run() async {
        await member.refuseShots()
        for session in sessions { await session.endRecordings() }
        var captures: Set<CaptureKey> = []
        let deadline = clock.now() + Self.limit
        repeat {
            captures.formUnion(await underWay())
            if await isHandedOver(captures) { return }
            do { try await clock.sleep(for: .milliseconds(5)) } catch { return }
        } while clock.now() < deadline
        for session in sessions { await member.giveUp(session) }
    }

    private func underWay() async -> [CaptureKey] {
        var keys: [CaptureKey] = []
        for session in sessions { keys += await session.capturesUnderWay }
        return keys
    }

    /// Whether each capture has its outcome, and what was made of it is in the library; without a coordinator, in the
    /// spool, whose next inventory offers it.
    private func isHandedOver(_ captures: Set<CaptureKey>) async -> Bool {
        guard await !member.isArming, await underWay().isEmpty else { return false }
        guard await member.membership.coordinator != nil else { return true }
        for key in captures {
            if await spool.report(of: key) != nil { return false }
        }
        return true
    }
}
