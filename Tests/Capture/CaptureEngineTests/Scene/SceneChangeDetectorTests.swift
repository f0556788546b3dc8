import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

/// A detector that is shown flat scenes, four a second.
private struct Viewer {
    var detector = SceneChangeDetector(SceneChangeSettings())
    private(set) var time = LocalTime(nanoseconds: 0)

    mutating func see(_ grid: SceneGrid) -> SceneChange? {
        time = time + .milliseconds(250)
        return detector.take(grid, at: time)
    }

    /// The changes told while a scene of this luma was shown so many times.
    mutating func see(_ luma: Double, times count: Int = 1) -> [SceneChange] {
        (0..<count).compactMap { _ in see(.flat(luma)) }
    }
}

extension SceneGrid {
    fileprivate static func flat(_ luma: Double) -> SceneGrid {
        SceneGrid(cells: Array(repeating: luma, count: columns * rows))
    }
}

@Suite struct SceneChangeDetectorTests {
    private var viewer = Viewer()

    @Test("A camera that starts tells a change of a scene that nobody has seen")
    mutating func beginning() {
        #expect(viewer.see(200, times: 20).isEmpty)
    }

    @Test("A lamp that is switched on is not told, twice, or with wrong figures")
    mutating func change() throws {
        _ = viewer.see(60, times: 8)
        #expect(viewer.see(120).isEmpty, "one sample may be a flash")
        let change = try #require(viewer.see(120).first)
        #expect(change == SceneChange(time: LocalTime(nanoseconds: 2_500_000_000), difference: 60, luma: 120))
        #expect(viewer.see(120, times: 100).isEmpty)
        #expect(viewer.see(60, times: 2).map(\.difference) == [60], "and off again")
    }

    @Test("A flash, a torn frame, or dusk is called another scene")
    mutating func noChange() {
        _ = viewer.see(100, times: 8)
        for _ in 0..<20 { #expect(viewer.see(255).isEmpty && viewer.see(100, times: 2).isEmpty) }
        // Half of the light within a minute.
        for step in 0..<240 { #expect(viewer.see(100 - Double(step) / 5).isEmpty) }
    }

    @Test("A change below the threshold is told, or one at it is not", arguments: [1, 24, 100])
    func threshold(threshold: Int) {
        for (difference, isTold) in [(Double(threshold) - 0.5, false), (Double(threshold), true)] {
            var viewer = Viewer(detector: SceneChangeDetector(SceneChangeSettings(threshold: threshold)))
            _ = viewer.see(100, times: 8)
            #expect(viewer.see(100 + difference, times: 2).isEmpty != isTold)
        }
    }

    @Test("What changes in one part of the picture counts as if all of it did")
    mutating func part() {
        _ = viewer.see(100, times: 8)
        var grid = SceneGrid.flat(100)
        // 100 of 255 in two of twelve parts are 17 on average.
        grid.approach(SceneGrid(cells: [700, 700] + Array(repeating: 100, count: 10)), by: 1.0 / 6)
        for _ in 0..<20 { #expect(viewer.see(grid) == nil) }
    }

    @Test("A scene that never holds still floods the feed, or its end is missed")
    mutating func motion() {
        _ = viewer.see(100, times: 8)
        var generator = SeededGenerator(seed: 7)
        var told = 0
        for _ in 0..<4 * 3600 {
            let cells = (0..<12).map { _ in Double.random(in: 0...255, using: &generator) }
            if viewer.see(SceneGrid(cells: cells)) != nil { told += 1 }
        }
        #expect(told == 1, "in an hour")
        #expect(viewer.see(200, times: 40).isEmpty, "it comes to rest, and that is the scene")
        #expect(viewer.see(100, times: 2).count == 1)
    }

    @Test("A scene that changes all the time floods the feed, or changes that were not told are not counted")
    mutating func flood() {
        _ = viewer.see(50, times: 8)
        var told: [(instant: LocalTime, change: SceneChange)] = []
        // Every four seconds another one, which is there long enough to be learnt.
        for sample in 0..<100 * 16 + 40 {
            let isLit = sample < 100 * 16 && sample / 16 % 2 == 0
            for change in viewer.see(isLit ? 150 : 50) { told.append((viewer.time, change)) }
        }
        #expect(told.map(\.change.count).reduce(0, +) == 100)
        #expect(told.count <= 81 && told.contains { $0.change.count > 1 }, "\(told.count)")
        for (before, after) in zip(told, told.dropFirst()) {
            #expect(after.instant - before.instant >= SceneChangeLimit.interval)
        }
    }

    @Test("After a start, the scene is compared with what the camera showed before it was closed")
    mutating func forgotten() {
        _ = viewer.see(60, times: 8)
        #expect(viewer.see(120, times: 8).count == 1)
        #expect(viewer.see(60, times: 2).isEmpty, "too soon to be told")
        viewer.detector.forget()
        #expect(viewer.see(200, times: 40).isEmpty)
    }
}

@Suite struct SceneChangeLimitTests {
    private func change(_ seconds: Int, _ luma: Int) -> SceneChange {
        SceneChange(time: at(seconds), difference: 50, luma: luma)
    }

    private func at(_ seconds: Int) -> LocalTime { LocalTime(nanoseconds: Int64(seconds) * 1_000_000_000) }

    @Test("Of changes that come too soon the newest is lost, or told too early, or without its count")
    func held() {
        var limit = SceneChangeLimit()
        #expect(limit.pass(nil, at: at(0)) == nil)
        #expect(limit.pass(change(1, 10), at: at(1)) == change(1, 10))
        #expect(limit.pass(change(2, 20), at: at(2)) == nil)
        #expect(limit.pass(change(3, 30), at: at(3)) == nil)
        #expect(limit.pass(nil, at: at(5)) == nil)
        var merged = change(3, 30)
        merged.count = 2
        #expect(limit.pass(nil, at: at(6)) == merged)
        #expect(limit.pass(nil, at: at(12)) == nil)
        #expect(limit.pass(change(13, 40), at: at(13)) == change(13, 40))
    }
}
