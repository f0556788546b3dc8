import ArgumentParser
import CaptureModel
import Foundation
import PosixSupport
import RigClient
import Testing

@testable import CapctlCommands
@testable import Previews

@Suite struct FormatOptionsTests {
    private let list: ShotList

    init() throws {
        let id = try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"))
        let shot = ShotSummary(
            id: id, status: .complete, realtimeNanoseconds: 1_795_256_143_250_000_000, expected: 2, done: 2,
            folder: "2026/11/21/x", title: "t")
        list = ShotList(shots: [shot], damaged: [], moreDamaged: 0)
    }

    /// What a command line prints of a report, on a terminal of this width.
    private func shown(
        _ arguments: [String], _ report: some Report, width: Int? = nil
    ) throws -> (output: String, notes: String) {
        let (output, notes) = (Locked(""), Locked(""))
        var console = Console(
            write: { text in output.withLock { $0 += text } }, note: { text in notes.withLock { $0 += text } },
            isTerminal: true)
        console.width = { width }
        let command = try #require(try Capctl.parseAsRoot(["shots", "list"] + arguments) as? ShotsListCommand)
        console.isQuiet = command.isQuiet
        try command.output.show(report, on: console)
        console.progress("progress")
        return (output.withLock(\.self), notes.withLock(\.self))
    }

    @Test(arguments: ["-o", "--format"])
    func `-o and --format are one option`(_ option: String) throws {
        let json = try shown([option, "json"], ShotListReport(list: list)).output
        #expect(json.contains("\"shots\" : ["))
        #expect(
            try shown([option, "name"], ShotListReport(list: list)).output == "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50\n")
    }

    @Test func `A list fits a terminal of 80 columns, and is whole where it is wide or goes into a pipe`() throws {
        let narrow = try shown([], ShotListReport(list: list), width: 70).output
        #expect(
            narrow == """
                SHOT    TIME                       STATUS    CAMERAS  TITLE
                2b4f50  2026-11-21 10:15:43+00:00  complete      2/2  t

                """)
        for (arguments, width) in [(["-o", "wide"], Int?(70)), ([], nil)] {
            let whole = try shown(arguments, ShotListReport(list: list), width: width).output
            #expect(whole.contains("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50") && whole.contains("2026/11/21/x"))
        }
    }

    @Test func `Headings can be left out`() throws {
        let output = try shown(["--no-headers"], ShotListReport(list: list)).output
        #expect(output.hasPrefix("019a2c5e-") && output.split(separator: "\n").count == 1)
    }

    @Test func `A quiet command prints ids and no progress, and the format that it is asked for`() throws {
        let quiet = try shown(["-q"], ShotListReport(list: list))
        #expect(quiet.output == "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50\n" && quiet.notes.isEmpty)
        #expect(try shown(["--quiet", "-o", "json"], ShotListReport(list: list)).output.hasPrefix("{"))
        let previews = try shown(["-q"], PreviewsReport(result: .init()))
        #expect(!previews.output.isEmpty && previews.notes.isEmpty, "it has no names, and failures are not hidden")
    }

    @Test(arguments: [["-q"], ["-o", "name"]])
    func `Where only names are printed, they are of what succeeded, and failures are noted`(
        _ arguments: [String]
    ) throws {
        let (good, bad) = (try DeviceID("n1/cam1"), try DeviceID("n1/cam2"))
        let refusal = RigClientError(
            .refused("notRunning"), operation: "session start", endpoint: "tcp://x:1", cause: "it does not start")
        let report = SessionReport(outcomes: [
            SessionOutcome(
                device: good,
                result: .success(SessionResult(device: good, condition: DeviceCondition(state: .running)))),
            SessionOutcome(device: bad, result: .failure(refusal)),
        ])
        let told = try shown(arguments, report)
        #expect(told.output == "n1/cam1\n")
        #expect(told.notes.hasPrefix("capctl: n1/cam2: ") && told.notes.contains("it does not start\n"))
        #expect(
            try shown(["-o", "json"], report).notes.hasPrefix("\r"), "the data says it, so that only progress is noted")
    }

    @Test(arguments: [
        "audit list", "audit verify", "devices set north/cam gain=1", "hold --for 1min", "hold release",
        "hold status", "keys rotate", "record mark a", "settings calibrate --all", "settings diff night",
        "settings lock --all", "settings match --all --gray-world", "shots previews --library x",
        "shots reindex --library x", "shots verify --all",
        "spool discard --orphans", "timecode a.jpg", "web end 4f2a9c0d7e11", "events", "watch",
        "session switch north/cam other --check",
    ])
    func `-o name is refused with the command line where nothing has a name`(_ line: String) throws {
        let arguments = line.split(separator: " ").map(String.init)
        for format in ["table", "wide", "json"] {
            #expect(throws: Never.self) { try Capctl.parseAsRoot(arguments + ["-o", format]) }
        }
        let refusal = try #require(throws: (any Error).self) { try Capctl.parseAsRoot(arguments + ["-o", "name"]) }
        #expect(Capctl.exitCode(for: refusal) == .validationFailure)
        #expect(Capctl.message(for: refusal).contains("name"))
    }

    @Test func `An empty list says so beside the data, and what fills it`() throws {
        let empty = ShotListReport(list: ShotList(shots: [], damaged: [], moreDamaged: 0))
        let told = try shown([], empty)
        #expect(told.output.isEmpty && told.notes.hasPrefix("no shots yet; `capctl trigger --all` takes one\n"))
        #expect(try shown(["-q"], empty).notes.isEmpty)
        #expect(try shown(["-o", "json"], empty).output.contains("\"shots\""))
        var restricted = empty
        restricted.isWhole = false
        #expect(try shown([], restricted).notes.hasPrefix("no shot matches these options\n"))
    }

    @Test func `COLUMNS comes before the terminal, and a pipe has no limit`() {
        #expect(OutputWidth.columns(variable: "100", terminal: 120) == 100)
        #expect(OutputWidth.columns(variable: "100", terminal: nil) == 100)
        for useless in ["", "0", "-1", "wide"] {
            #expect(OutputWidth.columns(variable: useless, terminal: 120) == 120)
            #expect(OutputWidth.columns(variable: useless, terminal: nil) == nil)
        }
        #expect(OutputWidth.columns(variable: nil, terminal: 0) == 80, "a terminal that does not know its width")
    }

    @Test func `Times are local with their offset, and to the millisecond where everything is shown`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let (winter, summer) = (Int64(1_795_256_143_250_000_000), Int64(1_780_000_000_999_000_000))
        #expect(TextLayout(zone: berlin).time(winter) == "2026-11-21 11:15:43+01:00")
        #expect(TextLayout(isWide: true, zone: berlin).time(winter) == "2026-11-21 11:15:43.250+01:00")
        #expect(TextLayout(zone: berlin).time(summer) == "2026-05-28 22:26:40+02:00")
        let newfoundland = try #require(TimeZone(identifier: "America/St_Johns"))
        #expect(TextLayout(zone: newfoundland).time(winter) == "2026-11-21 06:45:43-03:30")
        #expect(TextLayout(zone: berlin).time(.max) == "2262-04-11T23:47:16.854775807Z", "no overflow")
        #expect(TextLayout(zone: berlin).time("2026-11-21T10:15:43Z") == "2026-11-21 11:15:43+01:00")
        #expect(TextLayout(zone: berlin).time("soon") == "soon")
    }

    @Test func `A time as it is shown can be given to --since, as can how long ago it was`() throws {
        let now: Int64 = 1_795_256_143_250_000_000
        #expect(try ShotQueryOptions.realtime("2026-11-21 11:15:43+01:00", now: 0) == now - 250_000_000)
        #expect(try ShotQueryOptions.realtime("10m", now: now) == now - 600_000_000_000)
        #expect(try ShotQueryOptions.realtime("2d", now: now) == now - 172_800_000_000_000)
        for wrong in ["-10m", "10", "yesterday", "10 parsecs"] {
            #expect(throws: ValidationError.self) { try ShotQueryOptions.realtime(wrong, now: now) }
        }
    }
}
