import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing
import TurboJPEG
import VirtualDevices

@testable import CaptureEngine

/// A detector that is shown flat scenes, four a second.
private struct Viewer {
    var detector = SceneChangeDetector(SceneChangeSettings())
    private(set) var time = LocalTime(nanoseconds: 0)

    mutating func see(_ grid: SceneGrid) -> SceneChange? {
        time = time + .milliseconds(250)
        return detector.add(grid, at: time)
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

    @Test("Reports no change for the first scene after a start")
    mutating func beginning() {
        #expect(viewer.see(200, times: 20).isEmpty)
    }

    @Test("Reports a lamp once, with its figures")
    mutating func change() throws {
        _ = viewer.see(60, times: 8)
        #expect(viewer.see(120).isEmpty, "one sample may be a flash")
        let change = try #require(viewer.see(120).first)
        #expect(change == SceneChange(time: LocalTime(nanoseconds: 2_500_000_000), difference: 60, luma: 120))
        #expect(viewer.see(120, times: 100).isEmpty)
        #expect(viewer.see(60, times: 2).map(\.difference) == [60], "and off again")
    }

    @Test("Ignores flashes, torn frames and dusk")
    mutating func noChange() {
        _ = viewer.see(100, times: 8)
        for _ in 0..<20 { #expect(viewer.see(255).isEmpty && viewer.see(100, times: 2).isEmpty) }
        // Half of the light within a minute.
        for step in 0..<240 { #expect(viewer.see(100 - Double(step) / 5).isEmpty) }
    }

    @Test("Reports a change from the threshold on", arguments: [1, 24, 100])
    func threshold(threshold: Int) {
        for (difference, isTold) in [(Double(threshold) - 0.5, false), (Double(threshold), true)] {
            var viewer = Viewer(detector: SceneChangeDetector(SceneChangeSettings(threshold: threshold)))
            _ = viewer.see(100, times: 8)
            #expect(viewer.see(100 + difference, times: 2).isEmpty != isTold)
        }
    }

    @Test("Counts only the parts of the picture that change")
    mutating func part() {
        _ = viewer.see(100, times: 8)
        var grid = SceneGrid.flat(100)
        // 100 of 255 in two of twelve parts are 17 on average.
        grid.approach(SceneGrid(cells: [700, 700] + Array(repeating: 100, count: 10)), by: 1.0 / 6)
        for _ in 0..<20 { #expect(viewer.see(grid) == nil) }
    }

    @Test("Reports a moving scene at a bounded rate, and its end")
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

    @Test("Counts the changes that it does not report one by one")
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

    @Test("Starts from a fresh scene after each start")
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

    @Test("Keeps the newest of frequent changes, and reports it with their count in due time")
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

@Suite struct SceneGridTests {
    /// A gray JPEG whose luma is a function of the place.
    private func jpeg(_ width: Int, _ height: Int, _ luma: (Int, Int) -> UInt8) throws -> [UInt8] {
        let pixels = (0..<width * height).map { luma($0 % width, $0 / width) }
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            pixels.span, as: .gray(bits: 8), width: width, height: height, quality: 95, into: &jpeg)
        return jpeg
    }

    @Test("Gives each part of the grid the mean luma of its pixels")
    func parts() async throws {
        let meter = SceneMeter(executor: try ThreadExecutor(name: "scene"))
        let jpeg = try jpeg(640, 480) { x, y in UInt8(10 + x / 160 * 20 + y / 160 * 80) }
        let grid = try #require(await meter.scene(of: jpeg))
        let expected = [10, 30, 50, 70, 90, 110, 130, 150, 170, 190, 210, 230]
        #expect(zip(grid.cells, expected).allSatisfy { abs($0 - Double($1)) < 2 }, "\(grid.cells)")
        #expect(abs(grid.mean - 120) < 2)
    }

    @Test("Handles pictures smaller than the grid, and empty ones")
    func poor() async throws {
        let meter = SceneMeter(executor: try ThreadExecutor(name: "scene"))
        let tiny = try #require(await meter.scene(of: try jpeg(8, 8) { _, _ in 77 }))
        #expect(tiny.cells.count == 12 && tiny.cells.allSatisfy { abs($0 - 77) < 2 })
        #expect(await meter.scene(of: [0xFF, 0xD8, 1, 2, 3]) == nil)
        #expect(await meter.scene(of: []) == nil)
        #expect(SceneGrid(LumaImage()) == nil)
    }
}

@Suite(.timeLimit(.minutes(10))) struct SceneMonitoringTests {
    private func stage(_ settings: SceneChangeSettings?) throws -> Stage {
        try Stage(policy: SessionPolicy(sceneChange: settings)) { ($0.width, $0.height) = (1280, 720) }
    }

    /// Lets the camera run until the scene has been judged so many times.
    private func look(_ stage: Stage, times count: Int) async {
        for _ in 0..<count {
            await stage.pass(.milliseconds(280))
            // Until what was handed over has been measured and judged.
            while await stage.session.sceneWatch?.isMeasuring == true {}
        }
    }

    @Test("Reports a light that goes on, but no mere motion")
    func light() async throws {
        let stage = try stage(SceneChangeSettings())
        try await stage.run {
            await stage.start()
            await look(stage, times: 12)
            #expect(stage.recorder.sceneChanges.isEmpty)
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            await look(stage, times: 4)
            let change = try #require(stage.recorder.sceneChanges.first)
            #expect(stage.recorder.sceneChanges.count == 1)
            // Half as much light again, on a luma of 16 to 235 whose mean is near 110.
            #expect((35...60).contains(change.difference) && change.count == 1, "\(change)")
            #expect((140...180).contains(change.luma), "\(change)")
            await look(stage, times: 12)
            #expect(stage.recorder.sceneChanges.count == 1)
        }
    }

    @Test("Monitors a camera's scene exactly while that is enabled")
    func onAndOff() async throws {
        let stage = try stage(nil)
        try await stage.run {
            await stage.start()
            #expect(await stage.session.isSceneChangeMonitoringEnabled == false)
            await look(stage, times: 8)
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            await look(stage, times: 4)
            #expect(stage.recorder.sceneChanges.isEmpty)
            await stage.session.setSceneChangeMonitoring(SceneChangeSettings())
            await look(stage, times: 8)
            #expect(stage.recorder.sceneChanges.isEmpty, "what it was before nobody has seen")
            _ = try await stage.session.setControls(["flash_led_mode": 0])
            await look(stage, times: 4)
            #expect(stage.recorder.sceneChanges.count == 1)
            await stage.session.setSceneChangeMonitoring(nil)
            _ = try await stage.session.setControls(["flash_led_mode": 2])
            await look(stage, times: 8)
            #expect(stage.recorder.sceneChanges.count == 1)
        }
    }

    @Test("Ignores its own flash")
    func flash() async throws {
        let stage = try stage(SceneChangeSettings())
        try await stage.run {
            await stage.start()
            await look(stage, times: 8)
            let settings = PhotoSettings(
                flash: .on, bracket: [2, 8, 24].map { BracketStep(exposureNanoseconds: $0 * 1_000_000) })
            let order = stage.order(stage.now + .milliseconds(400), settings: settings)
            _ = try await stage.session.arm(order).get()
            let firing = Task { await stage.session.fire(order.key) }
            await look(stage, times: 12)
            #expect(await firing.value.report != nil)
            #expect(stage.recorder.sceneChanges.isEmpty)
        }
    }
}
