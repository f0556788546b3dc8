internal import CaptureModel
internal import HTTPTypes
internal import Logging
internal import RigMatching

internal import class PosixSupport.Locked

/// The runs of a gateway that match or lock cameras. It forgets them when it ends; what they have set is in the history of the rig's settings.
final class MatchRuns: Sendable {
    /// How many cameras one run matches at a time, so that all runs together do not exceed what a rig has in progress.
    static let width = MatchRunner.widthLimit / MatchRunTable<MatchRun>.underWayLimit
    /// Cameras that a line of the log names at the most.
    private static let loggedLimit = 32

    private let table = Locked((runs: MatchRunTable<MatchRun>(), isClosed: false))
    private let time: any TimeSource
    private let log: Logger

    init(time: any TimeSource, log: Logger) {
        self.time = time
        self.log = log
    }

    /// All that are known, the newest first.
    var all: [MatchRun] { table.withLock { $0.runs.runs } }

    /// - Throws: ``GatewayProblem``: it is not known.
    func run(_ id: MatchRunID) throws -> MatchRun {
        guard let run = table.withLock({ $0.runs[id] }) else { throw Self.unknown("\(id)") }
        return run
    }

    static func unknown(_ id: String) -> GatewayProblem {
        GatewayProblem(
            .notFound, "unknownRun",
            "this gateway knows no run '\(id)'; it keeps the newest \(MatchRunTable<MatchRun>.keptLimit), and forgets them when it ends; "
                + "what was set is in the history of settings")
    }

    /// The run that a request repeats; nil if its id is new.
    /// - Throws: ``GatewayProblem``: the id is that of another one.
    func repeated(_ id: MatchRunID, _ order: MatchOrder) throws -> MatchRun? {
        try table.withLock { $0.runs.repeated(id, order) }.flatMap { try Self.known($0, id) }
    }

    /// Begins a run, or returns the one that it repeats.
    /// - Parameters:
    ///   - cameras: Those that it may set.
    ///   - work: As of ``MatchRun/begin(_:_:ended:)``. It inherits the session.
    /// - Throws: ``GatewayProblem``: one of its cameras is being set, or too many runs are under way, or the gateway is ending.
    func begin(
        _ id: MatchRunID, _ order: MatchOrder, cameras: Set<DeviceID>, by principal: String,
        _ work: @escaping @Sendable (@escaping @Sendable (MatchReport) -> Void) async -> MatchReport
    ) throws -> MatchRun {
        let run = MatchRun(id, order.request, by: principal, at: time.wallClockPair().realtimeNanoseconds)
        // Begun under the lock, so that the end of the gateway finds its task.
        return try table.withLock { table in
            guard !table.isClosed else {
                throw GatewayProblem(.serviceUnavailable, "noCoordinator", "the gateway is ending")
            }
            if let known = try Self.known(table.runs.begin(id, order, cameras: cameras, run), id) { return known }
            run.begin(time, work) { report in
                self.table.withLock { $0.runs.end(id) }
                self.note(id, report)
            }
            return run
        }
    }

    /// The run that a decision names; nil if a new one is to be carried out.
    private static func known(_ decision: MatchRunTable<MatchRun>.Decision, _ id: MatchRunID) throws -> MatchRun? {
        switch decision {
        case .new: return nil
        case .known(let run): return run
        case .other:
            throw GatewayProblem(.conflict, "conflict", "the id \(id) is that of another run; choose a new one")
        case .overlapping(let camera, let other):
            throw GatewayProblem(
                .conflict, "conflict",
                "\(camera) is being matched or locked by the run \(other); wait for its end, or cancel it")
        case .tooMany:
            throw GatewayProblem(
                .serviceUnavailable, "busy",
                "\(MatchRunTable<MatchRun>.underWayLimit) runs are under way, which is the most; try again when one has ended"
            )
        }
    }

    /// Cancels all runs, and waits until what they are setting is set. Further ones are refused.
    /// - Parameter limit: Those that have not ended then are told in the log. The rig completes their transactions.
    func close(within limit: Duration) async {
        let runs = table.withLock { table in
            table.isClosed = true
            return table.runs.runsUnderWay
        }
        for run in runs { run.cancel() }
        await withTaskGroup(of: Void.self) { group in
            for run in runs { group.addTask { [time] in await run.wait(within: limit, time) } }
        }
        for run in table.withLock({ $0.runs.runsUnderWay }) {
            log.warning(
                "the gateway ends while cameras are being set; the history of settings says what becomes of them",
                metadata: ["run.id": "\(run.id)"])
        }
    }

    private func note(_ id: MatchRunID, _ report: MatchReport) {
        let others = report.cameras.filter { !$0.isMatched }.prefix(Self.loggedLimit)
        log.info(
            report.isLock ? "cameras were locked" : "cameras were matched",
            metadata: [
                "run.id": "\(id)", "matched": "\(report.matchedCount)", "cameras": "\(report.cameras.count)",
                "others": "\(others.map { "\($0.device): \($0.word)" }.joined(separator: ", "))",
            ])
    }
}
