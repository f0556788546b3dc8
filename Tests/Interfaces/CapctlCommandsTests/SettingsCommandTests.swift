import ArgumentParser
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing

@testable import CapctlCommands

@Suite struct SettingsCommandTests {
    private func set(_ arguments: String...) throws -> SettingsSetCommand {
        try #require(try Capctl.parseAsRoot(["settings", "set"] + arguments) as? SettingsSetCommand)
    }

    private func report(_ outcomes: [CameraSettingsOutcome], time: Int64? = 1_000_000_000) throws -> SettingsSetReport {
        var generator = SeededGenerator(seed: 1)
        let settings = try CaptureSettings(parsing: "gain=40% exposureDuration=8ms")
        let entries = zip(settings.entries, [.rounded(to: .raw(7)), .set(.raw(80))]).map(SettingOutcome.init)
        return SettingsSetReport(
            report: SettingsReport(
                id: SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator), settings: settings,
                time: time.map(RigTime.init(nanoseconds:)),
                realtimeNanoseconds: time.map { _ in 1_800_000_000_000_000_000 },
                cameras: try outcomes.enumerated().map { index, outcome in
                    CameraSettingsReport(
                        device: try DeviceID("north/cam\(index)"), entries: entries,
                        notes: ["gain sets 'x' to 0\u{1B}"],
                        outcome: outcome)
                }))
    }

    private func effect(_ evidence: SettingsChangeover.Evidence, from first: UInt64?) -> SettingsEffect {
        func instant(_ nanoseconds: Int64) -> BoundedRigTime {
            BoundedRigTime(time: RigTime(nanoseconds: nanoseconds), bound: .microseconds(120))
        }
        return SettingsEffect(
            accepted: instant(1_002_000_000), controls: ["gain": 7],
            change: SettingsChangeover(
                evidence: evidence,
                firstNew: first.map { FrameMark(sequence: $0, midExposure: instant(1_034_000_000)) }))
    }

    @Test func `Settings, cameras and the instant are read from the command line`() throws {
        let command = try set("exposure=8ms", "gain=40%", "--all", "--at", "+500ms", "--require-all")
        #expect(
            command.entries == ["exposure=8ms", "gain=40%"] && command.cameras.all && command.transaction.requireAll)
        #expect(command.transaction.at == .relative(nanoseconds: 500_000_000))
        #expect(try set("driver.hue=-3", "--device", "north/cam").transaction.at == nil)
    }

    @Test(arguments: [
        ["--all"], ["exposure=8ms"], ["exposure=8", "--all"], ["speed=3", "--all"], ["gain=1%", "gain=2%", "--all"],
        ["gain=1%", "--all", "--id", "1"], ["gain=1%", "--all", "--at", "500"],
    ])
    func `What is not a setting, or selects nothing, is a wrong command line`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["settings", "set"] + arguments) }
    }

    @Test func `At a signal a command is told to stop, and its result is awaited`() async throws {
        let told = Locked(false)
        let (result, isInterrupted) = try await StopSignals.untilEnd(when: Task { true }) {
            while !Task.isCancelled { await Task.yield() }
            return 7
        } stop: { cancel in
            told.withLock { $0 = true }
            cancel()
        }
        #expect(result == 7 && isInterrupted && told.withLock(\.self))
        let silent = Task {
            while !Task.isCancelled { await Task.yield() }
            return false
        }
        let undisturbed = try await StopSignals.untilEnd(when: silent) {
            8
        } stop: { _ in
            Issue.record("no signal")
        }
        #expect(undisturbed == (8, false))
    }

    @Test func `A cancellation is complete if no camera has the settings`() throws {
        let undone = CameraSettingsOutcome.undone(RigProblem(.cancelled, "cancelled"))
        let set = CameraSettingsOutcome.set(effect(.unknown, from: nil))
        #expect(SettingsCancelCommand.status(of: try report([undone, undone]).report) == .complete)
        #expect(SettingsCancelCommand.status(of: try report([undone, set]).report) == .partial)
        #expect(SettingsCancelCommand.status(of: try report([set]).report) == .failed)
    }

    @Test func `What is undone is read from the command line`() throws {
        let id = "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"
        let all = try #require(try Capctl.parseAsRoot(["settings", "undo"]) as? SettingsUndoCommand)
        #expect(all.undone == nil && all.device.isEmpty)
        let one = try #require(
            try Capctl.parseAsRoot(["settings", "undo", id, "--device", "north/cam"]) as? SettingsUndoCommand)
        #expect(one.undone?.whole == SettingsID(id) && one.device.map(\.description) == ["north/cam"])
    }

    @Test func `The table says from which frame on each camera has the settings, and what is not known`() throws {
        let table = try report([
            .rounded(effect(.metadata, from: 12)), .set(effect(.unknown, from: nil)), .set(effect(.unchanged, from: 3)),
            .refused(RigProblem(.notRunning, "north/cam3 does not stream")),
        ]).table
        #expect(table.contains("from frame 12, T +34.00 ms ± 0.12 ms (metadata)"))
        #expect(table.contains("accepted T +2.00 ms ± 0.12 ms, then not known"))
        #expect(table.contains("had them before") && table.contains("7 (rounded)"))
        #expect(table.contains("north/cam3 does not stream") && !table.contains("\u{1B}"))
        #expect(table.contains("1 refused, 1 rounded, 2 set, T 2027-01-15 08:00:00+00:00"))
    }

    @Test func `The status is of the cameras that have the settings`() throws {
        let has = CameraSettingsOutcome.set(effect(.metadata, from: 12))
        let lost = CameraSettingsOutcome.lost(RigProblem(.nodeUnreachable, "silent"))
        #expect(try report([has, has]).status == .complete)
        #expect(try report([has, lost]).status == .partial)
        #expect(try report([lost], time: nil).status == .failed)
    }

    @Test func `The JSON has numbers of 64 bits as texts, and no T that was not reached`() throws {
        let text = try report([.set(effect(.calibrated, from: 9_007_199_254_740_993))]).rendered(as: .json)
        #expect(text.contains(#""sequence" : "9007199254740993""#) && text.contains(#""evidence" : "calibrated""#))
        #expect(text.contains(#""timeRigNanoseconds" : "1000000000""#))
        #expect(try !report([], time: nil).rendered(as: .json).contains("timeRigNanoseconds"))
    }
}
