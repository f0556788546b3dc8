import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CapctlCommands

@Suite struct ProfileCommandTests {
    private func camera(_ device: String, _ settings: String) throws -> SettingsProfile.Camera {
        SettingsProfile.Camera(
            device: try DeviceID(device), make: "Caprig", model: "X", settings: try CaptureSettings(parsing: settings))
    }

    private func profile(_ version: Int, _ settings: String) throws -> SettingsProfile {
        SettingsProfile(
            name: try #require(ProfileName("night")), version: version, realtimeNanoseconds: 1_800_000_000_000_000_000,
            principal: "anna\u{1B}", cameras: [try camera("north/cam1", settings)])
    }

    private func leftOut(_ device: String) throws -> HeldProfile.LeftOut {
        HeldProfile.LeftOut(
            device: try DeviceID(device), problem: RigProblem(.nodeUnreachable, "\(device): its node is away"))
    }

    @Test func `A load is a transaction of the profile's cameras`() throws {
        let command = try #require(
            try Capctl.parseAsRoot([
                "settings", "load", "night@3", "--at", "+500ms", "--require-all", "--id",
                "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f",
            ]) as? SettingsLoadCommand)
        let request = command.transaction.request(.profile(command.profile))
        #expect(request.origin == .profile(try #require(ProfileReference("night@3"))))
        #expect(request.time == .relative(nanoseconds: 500_000_000) && request.requireAll)
        #expect("\(request.id)" == "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f")
    }

    @Test(arguments: [
        ["save"], ["save", "a/b"], ["save", "night@1"], ["load"], ["load", "night@0"], ["diff"],
        ["diff", "a", "b", "c"],
        ["history", "night@1"], ["remove"], ["undo", "night"], ["apply"], ["load", "night", "--id", "1"],
    ])
    func `What names no profile is a wrong command line`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["settings"] + arguments) }
    }

    @Test func `A camera that is left out makes the save partial, and is named with the reason`() throws {
        let saved = SavedProfile(
            profile: try profile(17, "driver.gain=1"), isNew: true, dropped: 1, leftOut: [try leftOut("south/cam1")])
        let report = SavedProfileReport(saved: saved)
        #expect(report.status == .partial)
        #expect(report.table.contains("south/cam1: its node is away"))
        #expect(report.table.hasSuffix("profile night@17 saved, version 1 removed\n"))
        let again = SavedProfileReport(saved: SavedProfile(profile: saved.profile, isNew: false))
        #expect(again.status == .complete && again.table.contains("nothing saved"))
    }

    @Test func `A camera of which it is not known what it holds is not a difference, and is said`() throws {
        let report = ProfileDiffReport(
            try profile(1, "driver.gain=1"),
            held: HeldProfile(cameras: [], leftOut: [try leftOut("north/cam1"), try leftOut("east/cam1")]))
        #expect(report.differences.isEmpty && report.status == .partial)
        #expect(report.table == "no difference\nnorth/cam1: its node is away\n")
        let other = ProfileDiffReport(
            try profile(1, "driver.gain=1"), held: HeldProfile(cameras: [try camera("north/cam1", "driver.gain=2")]))
        #expect(other.status == .complete && other.table.contains("driver.gain  1        2"))
    }

    @Test func `Control characters of names do not reach the terminal`() throws {
        let list = ProfileListReport(
            profiles: [
                ProfileSummary(
                    try #require(ProfileName("night")), [try profile(1, "wb=5200K"), try profile(2, "wb=5K")])
            ])
        #expect(!list.table.contains("\u{1B}") && list.table.contains("night@2") && !list.table.contains("night@1"))
        #expect(ProfileListReport(profiles: list.profiles, withVersions: true).table.contains("night@1"))
    }

    @Test func `The history says what each camera was asked, and what it had before`() throws {
        var generator = SeededGenerator(seed: 1)
        let id = SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator)
        let past = PastSettings(
            id: id, realtimeNanoseconds: 1_800_000_000_000_000_000, principal: "anna", undoes: id,
            cameras: [
                PastSettings.Camera(
                    device: try DeviceID("north/cam1"), settings: try CaptureSettings(parsing: "gain=raw:7"),
                    earlier: try CaptureSettings(parsing: "driver.gain=1"), outcome: .set),
                PastSettings.Camera(device: try DeviceID("south/cam1"), settings: CaptureSettings()),
            ])
        let report = SettingsHistoryReport(transactions: [past])
        #expect(report.table.contains("undoes \(id)") && report.table.contains("driver.gain 1"))
        #expect(report.table.contains("not known"))
        #expect(report.table(TextLayout(isWide: true)).contains("driver.gain=1"), "as the grammar writes it")
        let text = try report.rendered(as: .json)
        #expect(text.contains(#""earlier" : "driver.gain=1""#) && text.contains(#""outcome" : "set""#))
    }
}
