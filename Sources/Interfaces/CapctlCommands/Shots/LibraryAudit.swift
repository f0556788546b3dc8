internal import CaptureModel
internal import RigClient

/// Verifies every shot and every take of a library, newest first, and looks for what belongs to none.
struct LibraryAudit {
    /// Shots listed at a time.
    static let page = 1000

    var source: any ShotSource
    var console: Console

    func run() async throws -> VerificationReport {
        var report = VerificationReport(listsOnlyFindings: true)
        for isOfTakes in [false, true] {
            try await verify(ShotQuery(isOfTakes: isOfTakes), &report)
        }
        report.unclaimed = try await source.unclaimedFiles()
        console.endProgress()
        return report
    }

    private func verify(_ query: ShotQuery, _ report: inout VerificationReport) async throws {
        var last: ShotID?
        while true {
            let list = try await source.list(query, limit: Self.page, before: last)
            // Of a manifest that cannot be read nobody knows what it is of: it is in the listing of takes too.
            if !query.isOfTakes {
                report.damaged += list.damaged
                report.moreDamaged += list.moreDamaged
            }
            for shot in list.shots { try await verify(shot.id, &report) }
            guard list.shots.count == Self.page, let next = list.shots.last?.id else { return }
            last = next
        }
    }

    /// A shot that cannot be verified is a finding, and the others are still looked at; without a coordinator nothing is.
    private func verify(_ id: ShotID, _ report: inout VerificationReport) async throws {
        console.progress("\(report.verifications.count) shots verified")
        do {
            report.verifications.append(try await source.verify(id))
        } catch let error as RigClientError where !error.isAnswer {
            throw error
        } catch {
            report.damaged.append("\(id): \(error)")
        }
    }
}

extension RigClientError {
    /// Whether the coordinator has said so itself.
    fileprivate var isAnswer: Bool {
        if case .refused = code { true } else { false }
    }
}
