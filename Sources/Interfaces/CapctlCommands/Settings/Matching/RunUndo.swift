internal import CaptureModel
internal import RigClient

/// Puts back what a run of settings transactions has set, as far as the coordinator can.
///
/// One undo of a run takes what lies together: what somebody else has set in between divides it, and a node that has much to do refuses cameras.
/// So the run is undone until nothing of it is left. Coordinators that do not know runs undo its transactions one by one.
struct RunUndo: Sendable {
    let run: SettingsRunID
    /// Those of the run that may have set cameras, oldest first.
    let transactions: [SettingsID]
    /// Has the coordinator undo, each time with another id.
    let undo: @Sendable (UndoScope) async throws -> SettingsReport

    /// - Returns: Why cameras may not have their values of before; empty if they all have.
    func problems() async -> [String] {
        guard !transactions.isEmpty else { return [] }
        var remaining = RemainingProblems()
        // Each answer that has an effect takes a transaction at least, and the last one says that nothing is left.
        for round in 0...transactions.count {
            do {
                guard remaining.take(try await undo(UndoScope(run))) else { return remaining.sentences }
            } catch {
                guard Self.isConflict(error) else { return remaining.sentences + ["\(error)"] }
                return round == 0 ? await problemsOneByOne() : remaining.sentences
            }
        }
        return remaining.sentences + ["more may be left to undo of settings \(run)"]
    }

    private func problemsOneByOne() async -> [String] {
        var problems: [String] = []
        for id in transactions.reversed() {
            do {
                var remaining = RemainingProblems()
                _ = remaining.take(try await undo(UndoScope(id)))
                problems += remaining.sentences
            } catch {
                problems.append("\(error)")
            }
        }
        return problems
    }

    private static func isConflict(_ error: any Error) -> Bool {
        (error as? RigClientError)?.code == .refused(RigProblem.Code.conflict.rawValue)
    }
}

/// Why cameras do not have their values of before, after some undos.
private struct RemainingProblems {
    private var problems: [DeviceID: RigProblem] = [:]

    var sentences: [String] { problems.sorted { $0.key < $1.key }.map { "\($0.value)" } }

    /// Notes an answer.
    /// - Returns: Whether a camera got earlier values, or does not get what waited for it, so that another undo may find more.
    mutating func take(_ report: SettingsReport) -> Bool {
        var hasEffect = false
        for camera in report.cameras {
            switch camera.outcome {
            case .set, .rounded, .undone:
                hasEffect = true
                if problems[camera.device]?.isFinal == false { problems[camera.device] = nil }
            case .refused(let problem), .failed(let problem), .lost(let problem), .deferred(let problem):
                if problems[camera.device]?.isFinal != true { problems[camera.device] = problem }
            }
        }
        return hasEffect
    }
}

extension RigProblem {
    /// Whether the next undo passes over what was refused so, because the earlier values are not known or cannot be put back.
    fileprivate var isFinal: Bool { code == .unsupportedSettings || code == .conflict }
}
