import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

/// Transactions in progress that somebody cancels, without a rig. The table of ``SettingsCancellations`` says until when.
@Suite struct SettingsTransactionsTests {
    private let transactions = SettingsTransactions()
    private let id = Samples.settings()
    private let camera: DeviceID
    private let anna: Principal
    private let time = RigTime(nanoseconds: 9_000)

    init() throws {
        camera = try DeviceID("north/cam")
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
    }

    private var report: SettingsReport { SettingsReport(id: id, settings: CaptureSettings()) }

    private func begin() throws {
        let request = SettingsRequest(
            id: id, selection: Selection(), settings: try CaptureSettings(parsing: "gain=raw:7"))
        _ = try transactions.begin(request, by: anna, cameras: [camera]) { [report] in Task { report } }
    }

    /// - Returns: The cameras that are told to drop the transaction; nil if it is too late, or it is cancelled already.
    private func cancel(_ isStored: Bool = true) -> [DeviceID]? {
        var told: [DeviceID] = []
        let isCancelled = transactions.cancel(id, by: anna, at: RigTime(nanoseconds: 8_999), isStored: isStored) {
            told = $0
            return Task { [:] }
        }
        return isCancelled ? told : nil
    }

    @Test func `A transaction that waits for T is cancelled once, and is not cancelled when it has ended`() async throws
    {
        try begin()
        transactions.stores(id)
        transactions.commits(id, [camera], at: time)
        #expect(cancel() == [camera])
        #expect(cancel() == nil)
        let problem = #expect(throws: RigProblem.self) { try transactions.requireNotCancelled(id) }
        #expect(problem?.code == .cancelled && transactions.cancellation(of: id) == problem)
        let answers = await transactions.answersToCancellation(of: id)?.value
        #expect(answers?.isEmpty == true && transactions.areCancelled)
        transactions.hasCommitted(id)
        transactions.conclude(report, storedBy: 1)
        #expect(!transactions.areCancelled)
        try transactions.requireNotCancelled(id)
        #expect(transactions.end(storedThrough: 1) == [report])
    }

    @Test func `No camera is told of a transaction that is cancelled before it is stored`() throws {
        try begin()
        #expect(cancel(false) == [])
        #expect(throws: RigProblem.self) { try transactions.requireNotCancelled(id) }
    }

    @Test func `After T nothing is cancelled`() throws {
        try begin()
        transactions.stores(id)
        transactions.commits(id, [camera], at: RigTime(nanoseconds: 8_999))
        #expect(cancel() == nil)
        transactions.hasCommitted(id)
        #expect(cancel() == nil)
        try transactions.requireNotCancelled(id)
    }
}
