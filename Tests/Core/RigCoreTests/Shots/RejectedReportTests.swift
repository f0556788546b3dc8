import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigTestSupport
import RigWire
import StorageKit
import Testing

@testable import RigCore

/// Reports whose frame cannot have been exposed when they say.
@Suite(.timeLimit(.minutes(10))) struct RejectedReportTests {
    private let folder: TemporaryFolder
    private let north: NodeName

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
    }

    private func fired() async throws -> (RigBench, AsyncStream<ShotNotice>) {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        await bench.links.wait(forNodes: [north]) { $0.isFire }
        return (bench, notices)
    }

    private func lie(_ bench: RigBench) async throws -> CaptureReport {
        var report = try await bench.report("north", [1, 2])
        report.timing.skewNanoseconds = 0
        return report
    }

    private func check(_ shot: Shot?) throws {
        let capture = try #require(shot?.captures.first)
        #expect(shot?.status == .failed && capture.phase == .failed && capture.timing == nil)
        #expect(capture.problem?.code == .protocolViolation)
        #expect(capture.problem?.message.contains("the skew is 0 ns; mid-exposure minus T is 5 ns") == true)
        #expect(capture.files.map(\.outcome) == [.failed])
    }

    @Test func `a report with a wrong skew is malformed, and its capture has failed`() async throws {
        let (bench, notices) = try await fired()
        let report = try await lie(bench)
        #expect(
            await bench.rig.accept(.captured(report), from: north) == [
                .contradiction(.skew(reportedNanoseconds: 0, expectedNanoseconds: 5))
            ])
        try check(try await bench.answer(notices))
        #expect(bench.links.asked.value.collected.isEmpty && bench.links.asked.value.released.isEmpty)
        // The truth still counts.
        try await bench.captured("north", [1, 2])
        try await bench.collect("north", [1, 2])
        await bench.links.asked.wait { $0.released.count == 1 }
        #expect(try await bench.library.shot(Samples.shot())?.captures.first?.files.first?.outcome == .late)
        await bench.end()
    }

    @Test func `a bound of minutes is no bound`() async throws {
        let (bench, notices) = try await fired()
        var report = try await bench.report("north", [1, 2])
        report.timing.midExposure.boundNanoseconds = 300_000_000_000
        #expect(await bench.rig.accept(.captured(report), from: north).count == 1)
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.captures[0].phase == .failed)
        #expect(shot.captures[0].problem?.message.contains("the bound of the mid-exposure is 300000000000 ns") == true)
        await bench.end()
    }

    @Test func `a node that lists such a report in its hello joins, and the report is told as malformed`() async throws
    {
        let (bench, notices) = try await fired()
        let hello = try Samples.hello("north", epoch: 2, inventory: [try await lie(bench)])
        guard case .success(true) = await bench.rig.admit(hello) else {
            Issue.record("the node was refused")
            return
        }
        #expect(
            await bench.rig.reconcile(hello, epochChanged: true) == [
                .contradiction(.skew(reportedNanoseconds: 0, expectedNanoseconds: 5))
            ])
        try check(try await bench.answer(notices))
        await bench.end()
    }

    @Test func `a file that a sound report has announced is still fetched when a later one is rejected`() async throws {
        let (bench, notices) = try await fired()
        try await bench.captured("north", [1, 2])
        let hello = try Samples.hello("north", epoch: 2, inventory: [try await lie(bench)])
        _ = await bench.rig.admit(hello)
        #expect(await bench.rig.reconcile(hello, epochChanged: true).count == 1)
        try await bench.collect("north", [1, 2])
        #expect(try await bench.answer(notices)?.status == .complete)
        await bench.end()
    }
}
