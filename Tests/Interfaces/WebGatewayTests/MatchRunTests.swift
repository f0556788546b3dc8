import CameraSettings
import CaptureModel
import CaptureTestSupport
import Foundation
import Logging
import RigDocuments
import RigMatching
import StrictJSON
import Testing

@testable import WebGateway

private func id(_ number: Int64) -> MatchRunID {
    var generator = SystemRandomNumberGenerator()
    return MatchRunID(unixMilliseconds: number, using: &generator)
}

private func cameras(_ names: String...) throws -> Set<DeviceID> {
    Set(try names.map { try DeviceID($0) })
}

@Suite struct MatchRunTableTests {
    private let order = MatchOrder(selection: Selection(), request: MatchRequest(.card(MatchRequest.gray)))
    private var table = MatchRunTable<String>()

    @Test mutating func `A repeat is the same run, and another request with its id is refused`() throws {
        let first = id(1)
        guard case .new = table.begin(first, order, cameras: try cameras("north/cam1"), "first") else {
            Issue.record("a new run is not carried out")
            return
        }
        var other = order
        other.request.tolerance = 0.01
        for _ in 1...2 {
            guard case .known("first") = table.begin(first, order, cameras: try cameras("north/cam2"), "again") else {
                Issue.record("a repeat is not the first run")
                return
            }
            guard case .other? = table.repeated(first, other) else {
                Issue.record("another request has the run")
                return
            }
            table.end(first)
        }
        #expect(table.repeated(id(1), order) == nil && table[first] == "first" && table.runsUnderWay.isEmpty)
    }

    @Test mutating func `A camera is in one run at a time, and so many runs are under way`() throws {
        let (first, second) = (id(1), id(2))
        _ = table.begin(first, order, cameras: try cameras("north/cam1", "north/cam2"), "first")
        let both = try cameras("north/cam2", "north/cam3")
        guard case .overlapping(let camera, let other) = table.begin(second, order, cameras: both, "second") else {
            Issue.record("a camera is in two runs")
            return
        }
        #expect(camera.description == "north/cam2" && other == first)
        _ = table.begin(second, order, cameras: try cameras("north/cam3"), "second")
        guard case .tooMany = table.begin(id(3), order, cameras: try cameras("north/cam4"), "third") else {
            Issue.record("too many runs are under way")
            return
        }
        table.end(first)
        guard case .new = table.begin(id(3), order, cameras: try cameras("north/cam1"), "third") else {
            Issue.record("a run that has ended keeps its cameras")
            return
        }
        #expect(table.runs == ["third", "second", "first"])
    }

    @Test mutating func `Of those that have ended the newest are kept`() {
        let ids = (1...20).map { id($0) }
        for (number, id) in ids.enumerated() {
            _ = table.begin(id, order, cameras: [], "\(number)")
            table.end(id)
        }
        let newest: [String] = (4...19).reversed().map { "\($0)" }
        #expect(table.runs == newest)
        #expect(table[ids[3]] == nil && table[ids[4]] == "4")
    }
}

@Suite(.timeLimit(.minutes(10))) struct MatchRunsTests {
    private let order = MatchOrder(
        selection: Selection(), request: MatchRequest(.locked(within: .seconds(20))))
    private let time = ManualTimeSource()
    private let runs: MatchRuns

    init() {
        runs = MatchRuns(time: time, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func report(_ outcome: MatchMachine.Outcome?) throws -> MatchReport {
        MatchReport(order.request, cameras: [MatchResult(device: try DeviceID("north/cam"), outcome: outcome)])
    }

    private func document(_ run: MatchRun) throws -> [String: Any] {
        let text = try JSONText.line(run.document)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func outcome(_ document: [String: Any]) -> String? {
        ((document["report"] as? [String: Any])?["cameras"] as? [[String: Any]])?.first?["outcome"] as? String
    }

    /// A run that goes on until it is cancelled, and has told once what is known.
    private func begin(_ id: MatchRunID) async throws -> MatchRun {
        let (told, tell) = AsyncStream.makeStream(of: Void.self)
        let (early, late) = (try report(nil), try report(.refused("it was cancelled; nothing was set")))
        let run = try runs.begin(id, order, cameras: try cameras("north/cam"), by: "anna") { [time] changed in
            changed(early)
            tell.finish()
            try? await time.sleep(for: .seconds(3600))
            return late
        }
        for await _ in told {}
        return run
    }

    @Test func `A run tells what is known so far, and its outcome when it is cancelled`() async throws {
        let id = id(1)
        let run = try await begin(id)
        var document = try document(run)
        #expect(document["state"] as? String == "underWay" && outcome(document) == "underWay")
        #expect(document["principal"] as? String == "anna" && document["ended"] == nil)
        #expect(try runs.repeated(id, order) === run && runs.run(id) === run && runs.all.count == 1)
        #expect(throws: GatewayProblem.self) { try runs.run(MatchRunID.fresh(at: time)) }
        run.cancel()
        await run.wait(within: .seconds(60), time)
        document = try self.document(run)
        #expect(document["state"] as? String == "cancelled" && outcome(document) == "refused")
        #expect(document["ended"] != nil)
        run.cancel()
        #expect(try self.document(run)["state"] as? String == "cancelled", "it stays as it is")
    }

    @Test func `A camera of a run under way is refused by the name of the run`() async throws {
        let first = id(1)
        let run = try await begin(first)
        let done = try report(.matched)
        let problem = try #require(throws: GatewayProblem.self) {
            try runs.begin(id(2), order, cameras: try cameras("north/cam"), by: "ben") { _ in
                Issue.record("it has begun")
                return done
            }
        }
        #expect(problem.status == 409 && problem.detail.contains("north/cam") && problem.detail.contains("\(first)"))
        run.cancel()
        await run.wait(within: .seconds(60), time)
        let next = try runs.begin(id(2), order, cameras: try cameras("north/cam"), by: "ben") { _ in done }
        await next.wait(within: .seconds(60), time)
        #expect(try document(next)["state"] as? String == "ended")
    }

    @Test func `The end of the gateway ends its runs, and refuses further ones`() async throws {
        let run = try await begin(id(1))
        await runs.close(within: .seconds(60))
        #expect(try document(run)["state"] as? String == "cancelled" && outcome(try document(run)) == "refused")
        let done = try report(.matched)
        let problem = try #require(throws: GatewayProblem.self) {
            try runs.begin(id(2), order, cameras: [], by: "ben") { _ in
                Issue.record("it has begun")
                return done
            }
        }
        #expect(problem.status == 503)
    }
}

@Suite struct MatchBodyTests {
    private func match(_ text: String) throws -> MatchOrder {
        try StrictJSON.decode(MatchBody.self, from: text.utf8).order
    }

    private func lock(_ text: String) throws -> MatchOrder {
        try StrictJSON.decode(LockBody.self, from: text.utf8).order
    }

    @Test func `A reference, a card or a gray world is matched`() throws {
        let all = #""selection":{"choice":{"all":{}}}"#
        let reference = try DeviceID("north/cam1")
        let card = ColorMean(red: 0.36, green: 0.2, blue: 0.1)
        let byReference = try match(#"{\#(all),"reference":"north/cam1","tolerance":0.01,"frames":12}"#)
        #expect(byReference.request == MatchRequest(.reference(reference, card: nil), frames: 12, tolerance: 0.01))
        let both = try match(#"{\#(all),"reference":"north/cam1","card":{"red":0.36,"green":0.2,"blue":0.1}}"#)
        #expect(both.request == MatchRequest(.reference(reference, card: card)))
        #expect(
            try match(#"{\#(all),"grayWorld":true}"#).request == MatchRequest(.card(MatchRequest.gray), region: .whole))
        let region = try #require(PictureRegion(x: 0.4, y: 0.4, width: 0.1, height: 0.2))
        let part = try match(
            #"{\#(all),"card":{"red":0.36,"green":0.2,"blue":0.1},"target":{"x":0.4,"y":0.4,"width":0.1,"height":0.2}}"#
        )
        #expect(part.request == MatchRequest(.card(card), region: region))
        #expect(try lock(#"{\#(all)}"#).request == MatchRequest(.locked(within: .seconds(20))))
        #expect(try lock(#"{\#(all),"timeout":"5000000000"}"#).request.goal == .locked(within: .seconds(5)))
    }

    @Test(arguments: [
        #""tolerance":0.03"#, #""reference":"north/cam1","tolerance":0"#, #""reference":"north/cam1","tolerance":0.6"#,
        #""reference":"north/cam1","frames":0"#, #""reference":"north/cam1","frames":65"#,
        #""card":{"red":0,"green":0.2,"blue":0.1}"#, #""card":{"red":1.1,"green":0.2,"blue":0.1}"#,
        #""grayWorld":true,"card":{"red":0.2,"green":0.2,"blue":0.1}"#,
        #""reference":"north/cam1","target":{"x":0.9,"y":0,"width":0.2,"height":1}"#,
    ])
    func `What cannot be matched is refused`(members: String) throws {
        let problem = try #require(throws: GatewayProblem.self) {
            try match(#"{"selection":{"choice":{"all":{}}},\#(members)}"#)
        }
        #expect(problem.status == 400)
    }

    @Test(arguments: ["0", "999999999", "300000000001", "-1", "+5000000000", "5s", ""])
    func `A lock does not wait for less or longer than it may`(timeout: String) throws {
        let problem = try #require(throws: GatewayProblem.self) {
            try lock(#"{"selection":{"choice":{"all":{}}},"timeout":"\#(timeout)"}"#)
        }
        #expect(problem.status == 400 && problem.detail.hasPrefix("timeout: must be 1000000000 to 300000000000"))
    }
}
