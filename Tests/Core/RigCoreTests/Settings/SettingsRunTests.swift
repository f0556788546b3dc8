import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// What an undo takes of the transactions of a run, and which of them are kept, without a rig.
@Suite struct SettingsRunTests {
    private let (north, south): (DeviceID, DeviceID)
    private let run = SettingsRunID(Samples.settings(900).uuid)

    init() throws { (north, south) = (try DeviceID("north/cam"), try DeviceID("south/cam")) }

    private func settings(_ text: String) throws -> CaptureSettings { try CaptureSettings(parsing: text) }

    /// Keeps a transaction after others, as the coordinator does.
    /// - Parameter before: What gives the camera the values before it.
    private func add(
        _ id: Int64, _ device: DeviceID, before: String?, of run: SettingsRunID?,
        _ outcome: CameraSettingsOutcome.Word = .set, by principal: String = "anna", to history: inout [PastSettings]
    ) throws {
        var past = PastSettings(
            id: Samples.settings(id), realtimeNanoseconds: id, principal: principal, run: run,
            cameras: [
                PastSettings.Camera(
                    device: device, settings: try settings("gain=raw:\(id)"), earlier: try before.map(settings),
                    outcome: outcome)
            ])
        past.cameras[0].beforeRun = SettingsHistory(history).beforeRun(of: past)[device]
        history.append(past)
    }

    /// Undoes, and keeps that.
    private func undo(
        _ history: inout [PastSettings], _ scope: UndoScope = .newest, as id: Int64 = 800
    ) throws -> SettingsOrder {
        let order = try #require(SettingsOrder(undoing: history, scope, by: "anna") { _ in true })
        history.append(
            PastSettings(
                id: Samples.settings(id), realtimeNanoseconds: id, principal: "anna", undoes: order.undoes,
                undoesRun: order.undoesRun,
                cameras: order.cameras.map {
                    PastSettings.Camera(
                        device: $0, settings: order.settings[$0] ?? CaptureSettings(), outcome: .set,
                        undone: order.undoesRun == nil ? [] : order.undone[$0] ?? [])
                }))
        return order
    }

    @Test func `One undo gives all cameras of a run the values before it, and the next one goes on before it`() throws {
        var history: [PastSettings] = []
        try add(1, north, before: "driver.gain=7", of: nil, to: &history)
        try add(2, north, before: "driver.auto_exposure=3", of: run, to: &history)
        try add(3, south, before: "driver.gain=5 driver.white_balance_automatic=1", of: run, to: &history)
        try add(4, north, before: "driver.exposure_time_absolute=80 driver.gain=1", of: run, to: &history)
        try add(5, south, before: "driver.gain=6 driver.red_balance=30", of: run, .failed, to: &history)
        let order = try undo(&history)
        #expect(order.undoesRun == run && order.cameras == [north, south])
        // The exposure is left to the automatic mode that is put back, and so are the balances.
        #expect(try order.settings[north] == settings("driver.gain=1 driver.auto_exposure=3"))
        #expect(try order.settings[south] == settings("driver.gain=5 driver.white_balance_automatic=1"))
        #expect(order.undone[north] == [Samples.settings(4), Samples.settings(2)])
        let next = try undo(&history)
        #expect(try next.undoesRun == nil && next.settings == [north: settings("driver.gain=7")])
        #expect(SettingsOrder(undoing: history, by: "anna") { _ in true } == nil)
    }

    @Test func `What others have set in between ends a run at that camera, so that each undo puts back what was`()
        throws
    {
        var history: [PastSettings] = []
        try add(1, north, before: "driver.gain=1", of: run, to: &history)
        try add(2, north, before: "driver.gain=2", of: nil, to: &history)
        try add(3, north, before: "driver.gain=3", of: run, to: &history)
        try add(4, north, before: "driver.gain=4", of: run, to: &history)
        for (undone, gain) in [([4, 3], 3), ([], 2), ([1], 1)] as [([Int64], Int)] {
            let order = try undo(&history)
            #expect(try order.settings == [north: settings("driver.gain=\(gain)")])
            if !undone.isEmpty { #expect(order.undone[north] == undone.map { Samples.settings($0) }) }
        }
        #expect(SettingsOrder(undoing: history, by: "anna") { _ in true } == nil)
    }

    @Test func `A camera, a transaction and a run are undone by themselves`() throws {
        var history: [PastSettings] = []
        try add(1, north, before: "driver.gain=1", of: run, to: &history)
        try add(2, south, before: "driver.gain=5", of: run, to: &history)
        try add(3, north, before: "driver.gain=2", of: run, to: &history)
        try add(4, south, before: "driver.gain=6", of: nil, to: &history)
        func order(_ scope: UndoScope) -> SettingsOrder? {
            SettingsOrder(undoing: history, scope, by: "anna") { _ in true }
        }
        #expect(try order(UndoScope(cameras: [north]))?.settings == [north: settings("driver.gain=1")])
        #expect(try order(UndoScope(Samples.settings(3)))?.settings == [north: settings("driver.gain=2")])
        #expect(order(UndoScope(Samples.settings(3)))?.undoesRun == nil)
        let named = try #require(order(UndoScope(run)))
        #expect(try named.settings == [north: settings("driver.gain=1"), south: settings("driver.gain=5")])
        // After a single one, the rest of the run is undone.
        _ = try undo(&history, UndoScope(Samples.settings(3)))
        #expect(try order(UndoScope(cameras: [north]))?.settings == [north: settings("driver.gain=1")])
    }

    @Test func `Runs of another person with the same id are another run`() throws {
        var history: [PastSettings] = []
        try add(1, north, before: "driver.gain=1", of: run, to: &history)
        try add(2, north, before: "driver.gain=2", of: run, by: "ben", to: &history)
        #expect(try undo(&history).settings == [north: settings("driver.gain=2")])
    }

    @Test func `Of a run, what waits for a start is dropped, and what was set is put back`() throws {
        var history: [PastSettings] = []
        try add(1, north, before: "driver.gain=1", of: run, to: &history)
        try add(2, north, before: nil, of: run, .deferred, to: &history)
        try add(3, north, before: nil, of: run, .deferred, to: &history)
        let order = try undo(&history)
        #expect(order.waiting == [north: [Samples.settings(3), Samples.settings(2)]])
        #expect(try order.settings == [north: settings("driver.gain=1")])
    }

    @Test func `Where a value before is not known, nothing of the run is put back, and it is said`() throws {
        var history: [PastSettings] = []
        try add(1, north, before: nil, of: run, to: &history)
        try add(2, north, before: "driver.gain=2", of: run, to: &history)
        let order = try #require(SettingsOrder(undoing: history, by: "anna") { _ in true })
        #expect(order.open.isEmpty && order.ended[north]?.problem?.message.contains("not known") == true)
    }

    @Test func `What waits is dropped also where a value before is not known, and the next undo says that`() throws {
        var history: [PastSettings] = []
        try add(1, north, before: nil, of: run, .lost, to: &history)
        try add(2, north, before: nil, of: run, .deferred, to: &history)
        let order = try #require(SettingsOrder(undoing: history, by: "anna") { _ in true })
        #expect(order.waiting == [north: [Samples.settings(2)]] && order.settings.isEmpty && order.ended.isEmpty)
        #expect(order.undone == [north: [Samples.settings(2)]])
        history[1].cameras[0].outcome = .undone
        let next = try #require(SettingsOrder(undoing: history, by: "anna") { _ in true })
        #expect(next.undone == [north: [Samples.settings(1)]])
        #expect(next.ended[north]?.problem?.message.contains("not known") == true)
    }

    @Test func `A name is first that of the own run or transaction, whatever ids others have chosen`() throws {
        var history: [PastSettings] = []
        try add(1, north, before: "driver.gain=1", of: run, to: &history)
        try add(2, south, before: "driver.gain=2", of: run, by: "ben", to: &history)
        try add(3, south, before: "driver.gain=3", of: SettingsRunID(Samples.settings(1).uuid), by: "ben", to: &history)
        func cameras(_ scope: UndoScope, by name: String) -> [DeviceID]? {
            SettingsOrder(undoing: history, scope, by: name) { _ in true }?.cameras
        }
        #expect(cameras(UndoScope(run), by: "anna") == [north] && cameras(UndoScope(run), by: "ben") == [south])
        #expect(cameras(UndoScope(Samples.settings(1)), by: "anna") == [north])
        #expect(cameras(UndoScope(run), by: "carol") == [south], "of others, the newest")
    }

    @Test
    func `A single transaction that has the values before forgotten ones of its run is undone with the run alone`()
        throws
    {
        var history: [PastSettings] = []
        try add(1, north, before: "driver.gain=1", of: run, to: &history)
        try add(2, north, before: "driver.gain=2", of: run, to: &history)
        let newest = UndoScope(Samples.settings(2))
        func order(_ scope: UndoScope, _ history: [PastSettings]) -> SettingsOrder? {
            SettingsOrder(undoing: history, scope, by: "anna") { _ in true }
        }
        #expect(try order(newest, history)?.settings == [north: settings("driver.gain=2")])
        var undone = history
        _ = try undo(&undone, UndoScope(Samples.settings(1)))
        #expect(try order(newest, undone)?.settings == [north: settings("driver.gain=2")], "nothing is forgotten")

        history.removeFirst()
        let refused = try #require(order(newest, history))
        #expect(refused.open.isEmpty && refused.ended[north]?.problem?.code == .conflict)
        #expect(refused.ended[north]?.problem?.message.contains("settings undo \(run)") == true)
        #expect(try order(UndoScope(run), history)?.settings == [north: settings("driver.gain=1")])
    }

    // MARK: Keeping

    private func committed(_ past: PastSettings) -> CommittedSettings {
        CommittedSettings(id: past.id, rigClock: RigClockID(rawValue: "rig"), state: .ended, past: past)
    }

    @Test func `A run of more transactions than are kept is undone to the values before it, at every camera`() throws {
        let cameras = try (0..<80).map { try DeviceID("node\($0)/cam") }
        var kept: [CommittedSettings] = []
        var history: [PastSettings] { kept.compactMap(\.past) }
        var id: Int64 = 1
        for (index, camera) in cameras.enumerated() {
            for step in 0..<2 {
                var past = history
                try add(id, camera, before: "driver.gain=\(step == 0 ? index : 1000 + step)", of: run, to: &past)
                _ = kept.keep(committed(past[past.count - 1]))
                id += 1
            }
        }
        #expect(kept.count == 80, "the newest of each camera")
        let order = try #require(SettingsOrder(undoing: history, by: "anna") { _ in true })
        #expect(order.cameras.count == 80)
        for (index, camera) in cameras.enumerated() {
            #expect(try order.settings[camera] == settings("driver.gain=\(index)"))
        }
        // Others do not take its place before they are as many as are kept.
        for other in 0..<63 {
            var past = history
            try add(id, try DeviceID("other/cam\(other)"), before: "driver.gain=1", of: nil, to: &past)
            _ = kept.keep(committed(past[past.count - 1]))
            id += 1
        }
        #expect(SettingsOrder(undoing: history, UndoScope(run), by: "anna") { _ in true }?.cameras.count == 80)
    }

    /// Adds a transaction of the run to those that are kept.
    private func keep(
        _ id: Int64, before: String?, of run: SettingsRunID?, _ outcome: CameraSettingsOutcome.Word? = .set,
        in kept: inout [CommittedSettings]
    ) throws {
        var past = kept.compactMap(\.past)
        try add(id, north, before: before, of: run, to: &past)
        past[past.count - 1].cameras[0].outcome = outcome
        var transaction = committed(past[past.count - 1])
        if outcome == nil { transaction.state = .committed }
        _ = kept.keep(transaction)
    }

    /// Transactions of no run at other cameras.
    private func others(_ ids: Range<Int64>) throws -> [CommittedSettings] {
        var past: [PastSettings] = []
        for id in ids { try add(id, try DeviceID("other/cam\(id)"), before: "driver.gain=1", of: nil, to: &past) }
        return past.map(committed)
    }

    private func undoNorth(_ kept: [CommittedSettings]) -> CaptureSettings? {
        let history = kept.compactMap(\.past)
        return SettingsOrder(undoing: history, UndoScope(cameras: [north]), by: "anna") { _ in true }?.settings[north]
    }

    @Test(arguments: [nil, CameraSettingsOutcome.Word.deferred])
    func `A transaction is not forgotten for a later one of its run that may end without being set`(
        outcome: CameraSettingsOutcome.Word?
    ) throws {
        var kept = try others(100..<163)
        try keep(1, before: "driver.gain=1", of: run, in: &kept)
        try keep(2, before: outcome == nil ? "driver.gain=2" : nil, of: run, outcome, in: &kept)
        kept.removeAll { $0.id == Samples.settings(2) }
        #expect(try undoNorth(kept) == settings("driver.gain=1"))
    }

    @Test func `A transaction is not forgotten for later ones of its run behind another transaction`() throws {
        var kept = try others(100..<161)
        for id in 1...4 as ClosedRange<Int64> {
            try keep(id, before: "driver.gain=\(id)", of: id == 2 ? nil : run, in: &kept)
        }
        #expect(kept.count == 64, "the third is covered by the fourth")
        for gain in [3, 2, 1] {
            #expect(try undoNorth(kept) == settings("driver.gain=\(gain)"))
            var history = kept.compactMap(\.past)
            _ = try undo(&history, UndoScope(cameras: [north]), as: 800 + Int64(gain))
            kept.append(committed(history[history.count - 1]))
        }
        #expect(undoNorth(kept) == nil)
    }

    @Test func `A transaction is not forgotten for a later one of its run that is undone by itself`() throws {
        var kept = try others(100..<161)
        try keep(1, before: "driver.gain=1", of: run, in: &kept)
        try keep(2, before: "driver.gain=2", of: run, in: &kept)
        var history = kept.compactMap(\.past)
        _ = try undo(&history, UndoScope(Samples.settings(2)))
        _ = kept.keep(committed(history[history.count - 1]))
        _ = kept.keep(try others(163..<164)[0])
        #expect(try undoNorth(kept) == settings("driver.gain=1"))
    }

    @Test func `A transaction is not forgotten for one of its run that came before its own values were known`() throws {
        var kept = try others(100..<162)
        try keep(1, before: nil, of: run, .deferred, in: &kept)
        try keep(2, before: nil, of: run, .deferred, in: &kept)
        for index in 62...63 {
            kept[index].past?.cameras[0].outcome = .set
            kept[index].past?.cameras[0].earlier = try settings("driver.gain=\(index - 61)")
        }
        try keep(3, before: "driver.gain=3", of: run, in: &kept)
        #expect(kept.count == 64, "the second is covered by the third")
        #expect(try undoNorth(kept) == settings("driver.gain=1"))
    }

    @Test func `Without runs, the newest 64 transactions are kept, and the forgotten ones are named`() throws {
        var kept: [CommittedSettings] = []
        var forgotten: [SettingsID] = []
        for id in 1...70 as ClosedRange<Int64> {
            var past: [PastSettings] = []
            try add(id, north, before: "driver.gain=1", of: nil, to: &past)
            forgotten += kept.keep(committed(past[0]))
        }
        #expect(kept.map(\.id) == (7...70).map { Samples.settings($0) })
        #expect(forgotten == (1...6).map { Samples.settings($0) })
    }
}
