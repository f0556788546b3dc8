internal import CaptureModel
internal import RigClient

/// Verifies every shot of a library, newest first, and looks for what belongs to none.
struct LibraryAudit {
    /// Shots listed at a time.
    static let page = 1000

    var source: any ShotSource
    var console: Console

    func run() async throws -> VerificationReport {
        var report = VerificationReport(listsOnlyFindings: true)
        var last: ShotID?
        while true {
            let list = try await source.list(ShotQuery(), limit: Self.page, before: last)
            report.damaged += list.damaged
            report.moreDamaged += list.moreDamaged
            for shot in list.shots { await verify(shot.id, &report) }
            guard list.shots.count == Self.page, let next = list.shots.last?.id else { break }
            last = next
        }
        report.unclaimed = try await source.unclaimedFiles()
        console.endProgress()
        return report
    }

    /// A shot that cannot be verified is a finding; the others are still looked at.
    private func verify(_ id: ShotID, _ report: inout VerificationReport) async {
        console.progress("\(report.verifications.count) shots verified")
        do {
            report.verifications.append(try await source.verify(id))
        } catch {
            report.damaged.append("\(id): \(error)")
        }
    }
}
