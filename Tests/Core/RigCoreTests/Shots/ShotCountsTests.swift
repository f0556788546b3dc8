import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigTestSupport
import RigWire
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct ShotCountsTests {
    private let folder: TemporaryFolder
    private let north: NodeName

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
    }

    @Test(arguments: [
        (Int64(0), 0), (500_000, 0), (500_001, 1), (-1_000_000, 1), (499_999_999, 9), (500_000_001, 10), (.min, 10),
        (.max, 10),
    ])
    func `A skew counts in the bin of its amount`(skew: Int64, bin: Int) {
        var skews = SkewHistogram()
        skews.count(skew)
        #expect(skews.counts.firstIndex(of: 1) == bin && skews.counts.reduce(0, +) == 1 && skews.sum == skew.magnitude)
    }

    @Test func `Bins that do not rise, or a wrong number of counts, are not a histogram`() {
        #expect(SkewHistogram(bounds: [1, 1], counts: [0, 0, 0], sum: 0) == nil)
        #expect(SkewHistogram(bounds: [0], counts: [0, 0], sum: 0) == nil)
        #expect(SkewHistogram(bounds: [1], counts: [0], sum: 0) == nil)
        #expect(SkewHistogram(bounds: [], counts: [3], sum: 1)?.counts == [3])
    }

    @Test func `Counts come through the wire as they were, without those of an unknown status`() throws {
        var counts = ShotCounts(settledShots: [.complete: 7, .failed: 1], settledTakes: [.partial: 2])
        counts.skews.count(3_000_000)
        var wire = counts.wire
        wire.settledShots["magnificent"] = 4
        #expect(try ShotCounts(wire: wire) == counts)
        wire.skewBoundsNs = Array(1...65)
        #expect(throws: WireError.self) { try ShotCounts(wire: wire) }
    }

    @Test func `A shot counts once with its first result`() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        await bench.links.wait(forNodes: [north]) { $0.isFire }
        let report = try await bench.report("north", [1, 2])
        try await bench.hello("north", epoch: 2, inventory: [report])
        try await bench.collect("north", [1, 2])
        #expect(try await bench.answer(notices)?.status == .complete)
        await bench.links.asked.wait { $0.released.count == 1 }
        let counts = await bench.rig.shotCounts
        #expect(counts.settledShots == [.complete: 1] && counts.settledTakes.isEmpty)
        #expect(counts.skews.counts.reduce(0, +) == 1 && counts.skews.sum == report.timing.skewNanoseconds.magnitude)
        // The node still has the file, so the shot is taken up again.
        try await bench.hello("north", epoch: 3, inventory: [report])
        await bench.links.asked.wait { $0.released.count == 2 }
        #expect(await bench.rig.shotCounts == counts)
        await bench.end()
    }
}
