import CaptureModel
import PosixSupport
import RigClient
import Testing

@testable import CapctlCommands

/// What is put back after an interrupted match, with answers that the test gives.
@Suite struct RunUndoTests {
    private enum Answer: Sendable {
        case outcomes([(camera: String, CameraSettingsOutcome)])
        case refusal(RigProblem.Code)
    }

    private let run: SettingsRunID
    private let transactions: [SettingsID]
    private let set = CameraSettingsOutcome.set(
        SettingsEffect(
            accepted: BoundedRigTime(time: RigTime(nanoseconds: 1), bound: .zero), controls: [:],
            change: SettingsChangeover(evidence: .metadata)))

    init() throws {
        let ids = try ["6f", "70", "71"].map { try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e\($0)")) }
        run = SettingsRunID(ids[0].uuid)
        transactions = [ids[1], ids[2]]
    }

    /// Gives the answers in order, and conflict after them.
    /// - Returns: What was asked, and what is told.
    private func undo(
        _ transactions: [SettingsID], _ answers: [Answer]
    ) async -> (asked: [SettingsID?], problems: [String]) {
        let asked = Locked([SettingsID?]())
        let undo = RunUndo(run: run, transactions: transactions) { scope in
            let count = asked.withLock { asked in
                asked.append(scope.transaction)
                return asked.count
            }
            switch count <= answers.count ? answers[count - 1] : .refusal(.conflict) {
            case .outcomes(let outcomes):
                return SettingsReport(
                    id: transactions[0], settings: CaptureSettings(),
                    cameras: try outcomes.map {
                        CameraSettingsReport(device: try DeviceID("north/\($0.camera)"), outcome: $0.1)
                    })
            case .refusal(let code):
                throw RigClientError(
                    .refused(code.rawValue), operation: "settings set", endpoint: "", cause: "refused: \(code.rawValue)"
                )
            }
        }
        let problems = await undo.problems()
        return (asked.withLock(\.self), problems)
    }

    private var whole: SettingsID { SettingsID(run.uuid) }

    @Test func `A run is undone until nothing of it is left, below what others have set too`() async {
        let (asked, problems) = await undo(transactions, [.outcomes([("a", set)]), .outcomes([("a", set)])])
        #expect(asked == [whole, whole, whole] && problems.isEmpty)
        let none = await undo([], [])
        #expect(none.asked.isEmpty && none.problems.isEmpty)
    }

    @Test func `A camera that a busy node has refused is undone by the next undo`() async {
        let busy = RigProblem(.noMemory, "north/b: too many requests")
        let (asked, problems) = await undo(
            transactions, [.outcomes([("a", set), ("b", .refused(busy))]), .outcomes([("b", set)])])
        #expect(asked.count == 3 && problems.isEmpty)
    }

    @Test func `Where no camera has got earlier values, no further undo is tried, and the reason is told`() async {
        let absent = RigProblem(.nodeUnreachable, "north is away")
        let (asked, problems) = await undo(
            transactions, [.outcomes([("a", set), ("b", .refused(absent))]), .outcomes([("b", .refused(absent))])])
        #expect(asked.count == 2 && problems == ["\(absent)"])
    }

    @Test func `What a later undo passes over stays told`() async {
        let unknown = RigProblem(.unsupportedSettings, "the values before are not known")
        let (_, problems) = await undo(
            transactions, [.outcomes([("a", .refused(unknown)), ("b", set)]), .outcomes([("a", set)])])
        #expect(problems == ["\(unknown)"])
    }

    @Test func `At a coordinator that knows no runs, transactions are undone one by one, the newest first`() async {
        let (asked, problems) = await undo(
            transactions, [.refusal(.conflict), .outcomes([("a", set)]), .outcomes([("a", set)])])
        #expect(asked == [whole, transactions[1], transactions[0]] && problems.isEmpty)
        let left = await undo(transactions, [.refusal(.conflict), .outcomes([("a", set)]), .refusal(.conflict)])
        #expect(left.problems == ["refused: conflict"])
    }

    @Test func `An undo that is refused is told, and ends it`() async {
        let (asked, problems) = await undo(transactions, [.outcomes([("a", set)]), .refusal(.held)])
        #expect(asked.count == 2 && problems == ["refused: held"])
    }
}
