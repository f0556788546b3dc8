import CaptureEngine
import CaptureModel
import Spool

/// The orderly end of a running agent: further shots are refused, and captures in progress are finished or reported as
/// lost, so that nobody waits for them.
struct AgentShutdown: Sendable {
    /// How long captures in progress may take to be made and to reach the library.
    static let limit = Duration.seconds(3)

    let member: RigMember
    let sessions: [CaptureSession]
    let spool: Spool
    let clock: any TimeSource

    /// Returns when the cameras may be closed. Pictures that are still being made are stored, and the next start offers
    /// them.
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

    /// Returns whether each capture has its outcome and its files are in the library. Without a coordinator, files in
    /// the spool are enough, because the next inventory offers them.
    private func isHandedOver(_ captures: Set<CaptureKey>) async -> Bool {
        guard await !member.isArming, await underWay().isEmpty else { return false }
        guard await member.membership.coordinator != nil else { return true }
        for key in captures {
            if await spool.report(of: key) != nil { return false }
        }
        return true
    }
}
