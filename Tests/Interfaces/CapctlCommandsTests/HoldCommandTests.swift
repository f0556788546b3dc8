import ArgumentParser
import CaptureModel
import Testing

@testable import CapctlCommands

@Suite struct HoldCommandTests {
    private func take(_ arguments: String...) throws -> HoldTakeCommand {
        try #require(try Capctl.parseAsRoot(["hold"] + arguments) as? HoldTakeCommand)
    }

    private func status() throws -> HoldStatus {
        HoldStatus(
            RigHold(
                holder: try #require(Principal(claimed: "anna")), note: "light\u{1B}[2J",
                taken: RigTime(nanoseconds: 0),
                ends: RigTime(nanoseconds: 600_000_000_000)),
            endsRealtimeNanoseconds: 1_800_000_000_000_000_000)
    }

    @Test func `A hold is for ten minutes, or for as long as is asked`() throws {
        #expect(try take().duration == .seconds(600) && (try take().note) == nil && (try !take().isOverriding))
        #expect(try take("--for", "4h", "--note", "").duration == .seconds(4 * 3600))
        #expect(try take("take", "--for", "10s", "--note", "light", "--override").note == "light")
        #expect(try Capctl.parseAsRoot(["hold", "release", "--override"]) is HoldReleaseCommand)
        #expect(try Capctl.parseAsRoot(["hold", "status"]) is HoldStatusCommand)
    }

    @Test(arguments: [
        ["--for", "9s"], ["--for", "241m"], ["--for", "-10m"], ["--for", "10"], ["--note", "two\nlines"],
        ["--note", String(repeating: "n", count: 257)],
    ])
    func `What is not a hold is a wrong command line`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["hold"] + arguments) }
    }

    @Test func `A line names holder, rest, end and note, and controls no terminal`() throws {
        let report = HoldReport(status: try status(), now: RigTime(nanoseconds: 18_500_000_000))
        #expect(
            report.table
                == "anna holds the rig for another 9 min 42 s, until 2027-01-15 08:00:00+00:00: light [2J\n")
        #expect(HoldReport(status: nil).table == "nobody holds the rig\n")
        #expect(try HoldReport(status: nil).rendered(as: .json) == "{\n\n}\n")
        #expect(
            HoldReport(status: try status(), now: RigTime(nanoseconds: 601_000_000_000)).table.contains(
                "for another 0 s"), "over, and not yet told")
    }
}
