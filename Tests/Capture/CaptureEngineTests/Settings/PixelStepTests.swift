import CameraSettings
import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import Testing

@testable import CaptureEngine

/// Sixty frames a second of a scene of 48 cells. Frame 0 is the first one after the acceptance.
@Suite struct PixelStepTests {
    private func film(seed: UInt64) -> SceneFilm {
        SceneFilm(seed: seed, cellCount: PixelStep.columns * PixelStep.rows)
    }

    private static let base: UInt64 = 1000

    private func facts(_ frame: Int) -> FrameFacts {
        FrameFacts(
            sequence: UInt64(Int(Self.base) + frame),
            midExposure: LocalTime(nanoseconds: 100_000_000_000 + 16_666_667 * Int64(frame)), stampBound: .zero)
    }

    /// Shows frames until a step is claimed, as a session does.
    /// - Returns: The last old and the first new frame.
    private func claim(
        _ film: SceneFilm, ratio: Double, at first: Int, expected: ExpectedStep? = nil, before: Int = 24,
        missing: Set<Int> = [], frames: Int = 31
    ) -> (lastOld: Int, firstNew: Int)? {
        var film = film
        var step = PixelStep(expected ?? ExpectedStep(isBrighter: ratio > 1, size: nil))
        for frame in -before..<0 { step.addBefore(facts(frame), SceneGrid(cells: film.cells(ofFrame: frame, step: 1))) }
        for frame in 0..<frames where !missing.contains(frame) {
            let cells = film.cells(ofFrame: frame, step: frame < first ? 1 : ratio)
            step.add(facts(frame), SceneGrid(cells: cells))
            if let claim = step.claim(accepted: Self.base) {
                return (
                    Int(claim.lastOld.sequence) - Int(Self.base), Int(claim.firstNew.sequence) - Int(Self.base)
                )
            }
        }
        return nil
    }

    @Test("Finds the frame of a step of 1 % to fourfold, up and down, exactly", arguments: 0...9)
    func clean(first: Int) {
        for size in [1.01, 1.02, 1.05, 1.1, 1.3, 2, 3, 4] {
            for ratio in [size, 1 / size] {
                let found = claim(film(seed: 1), ratio: ratio, at: first)
                #expect(
                    found?.lastOld == first - 1 && found?.firstNew == first, "\(ratio): \(String(describing: found))")
            }
        }
    }

    private struct Tally {
        var claims = 0
        var short = 0
        var lies: [String] = []

        mutating func add(_ found: (lastOld: Int, firstNew: Int)?, _ first: Int, _ what: String) {
            guard let found else { return }
            claims += 1
            if found.firstNew - found.lastOld == 1 { short += 1 }
            if found.lastOld >= first || found.firstNew < first { lies.append("\(what): \(found), truly \(first)") }
        }
    }

    @Test("Under noise, no interval is without the true frame, and of steps above 10 % most are one frame long")
    func noise() {
        var (small, large) = (Tally(), Tally())
        var dice = SeededGenerator(seed: 7)
        for case_ in 0..<800 {
            var film = self.film(seed: UInt64(case_))
            film.frameNoise = [0, 0.001, 0.003, 0.006][case_ % 4]
            film.cellNoise = 0.004
            film.toneExponent = Double.random(in: 0.9...1.1, using: &dice)
            let size = exp(exp(Double.random(in: log(log(1.01))...log(log(4)), using: &dice)))
            let first = Int.random(in: 0...8, using: &dice)
            let ratio = Bool.random(using: &dice) ? size : 1 / size
            let found = claim(film, ratio: ratio, at: first)
            if size > 1.1 {
                large.add(found, first, "\(case_), \(ratio)")
            } else {
                small.add(found, first, "\(case_), \(ratio)")
            }
        }
        #expect(small.lies + large.lies == [])
        #expect(large.short * 10 >= large.claims * 9 && large.claims > 400, "\(large)")
        #expect(small.claims > 150, "\(small)")
    }

    @Test("Under flickering light, no interval is without the true frame", arguments: [100, 120, 100.7, 119.4, 60.3])
    func flicker(hertz: Double) {
        var tally = Tally()
        var dice = SeededGenerator(seed: 8)
        for case_ in 0..<200 {
            var film = self.film(seed: UInt64(case_))
            (film.flicker, film.hertz, film.cellNoise) = (0.03, hertz, 0.002)
            let ratio = exp(Double.random(in: -1.3...1.3, using: &dice))
            let first = Int.random(in: 0...8, using: &dice)
            tally.add(claim(film, ratio: ratio, at: first), first, "\(case_), \(ratio)")
        }
        #expect(tally.lies == [])
        #expect(tally.claims > 100, "\(tally)")
    }

    @Test(
        "Noise, flicker, slow changes and scenes that change are not a step",
        arguments: TestExtent.some(12, of: UInt64(0)..<60))
    func nothing(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let at = Int.random(in: 0...12, using: &dice)
        let scenes: [(String, (Int, Int) -> Double)] = [
            ("nothing", { _, _ in 1 }),
            ("a lamp on one side", { frame, cell in frame < at ? 1 : 1.1 + 0.9 * Double(cell % 8) / 7 }),
            ("another view", { frame, cell in frame < at ? 1 : 0.5 + Double(cell * 29 % 48) / 24 }),
            ("somebody walks past", { frame, cell in (frame - at...frame - at + 4).contains(cell % 8) ? 2 : 1 }),
            ("a cloud", { frame, _ in 1 + 0.004 * Double(max(frame - at, -20)) }),
            ("a flash", { frame, _ in frame == at ? 3 : 1 }),
            ("a lamp that goes on and off", { frame, _ in (at % 4...at % 4 + 5).contains(frame) ? 1.5 : 1 }),
        ]
        for (name, scene) in scenes {
            var film = self.film(seed: seed)
            (film.frameNoise, film.cellNoise, film.flicker) = (0.003, 0.003, seed % 3 == 0 ? 0.02 : 0)
            film.hertz = seed % 2 == 0 ? 100 : 100.05
            film.scene = scene
            for isBrighter in [true, false] {
                let expected = ExpectedStep(isBrighter: isBrighter, size: nil)
                let found = claim(film, ratio: 1, at: 0, expected: expected)
                #expect(found == nil, "\(name): \(String(describing: found))")
            }
        }
    }

    @Test("A scene that changes before the camera acts hides the step")
    func sceneBefore() {
        for first in 3...8 {
            var film = self.film(seed: 3)
            film.scene = { frame, _ in frame < first - 2 ? 1 : 1.4 }
            // An interval that contains both is true.
            if let found = claim(film, ratio: 1.5, at: first) {
                #expect(found.lastOld < first - 2 && found.firstNew >= first)
            }
            // Less light than before and then more is not what was asked for.
            film.scene = { frame, _ in frame < first - 2 ? 1 : 0.8 }
            #expect(claim(film, ratio: 1.5, at: first) == nil)
        }
    }

    @Test("A step in the other direction, or of another size than the exposure's, is something else")
    func another() throws {
        let brighter = try #require(expected("exposure_time_absolute", 40, 80))
        #expect(claim(film(seed: 1), ratio: 2, at: 4, expected: brighter)?.firstNew == 4)
        #expect(claim(film(seed: 1), ratio: 0.5, at: 4, expected: brighter) == nil)
        #expect(claim(film(seed: 1), ratio: 1.2, at: 4, expected: brighter) == nil)
        let little = try #require(expected("exposure_time_absolute", 40, 42))
        #expect(claim(film(seed: 1), ratio: 2, at: 4, expected: little) == nil)
    }

    @Test("Cells that are clipped or dark say nothing, and without others nothing is claimed")
    func unusable() {
        var film = self.film(seed: 1)
        film.level = 12
        #expect(claim(film, ratio: 0.9, at: 4) == nil, "white")
        film.level = 0.002
        #expect(claim(film, ratio: 2, at: 4) == nil, "black")
        film.level = 1
        film.scene = { _, cell in cell % 3 == 0 ? 50 : 1 }
        #expect(claim(film, ratio: 1.3, at: 4)?.firstNew == 4, "a third is white")
    }

    @Test("Missing frames are undecided")
    func missing() throws {
        let found = try #require(claim(film(seed: 1), ratio: 1.5, at: 5, missing: [4, 5, 6]))
        #expect(found == (3, 7))
    }

    @Test("Nothing is claimed from few frames before, or before a late camera could have acted")
    func few() {
        #expect(claim(film(seed: 1), ratio: 1.5, at: 2, before: 7) == nil)
        #expect(claim(film(seed: 1), ratio: 1.5, at: 2, before: 8)?.firstNew == 2)
        #expect(claim(film(seed: 1), ratio: 1.5, at: 2, frames: PixelStep.leastAfter) == nil)
        #expect(claim(film(seed: 1), ratio: 1.5, at: 2, frames: PixelStep.leastAfter + 1)?.firstNew == 2)
    }

    private func expected(_ control: String, _ old: Int64?, _ new: Int64) -> ExpectedStep? {
        ExpectedStep(
            [
                ControlChange(control: "auto_exposure", old: 1, new: 1),
                ControlChange(control: control, old: old, new: new),
            ], interval: .milliseconds(10))
    }

    @Test("Steps are expected of one control of exposure or gain")
    func expectations() throws {
        #expect(expected("gain", 1, 2) == ExpectedStep(isBrighter: true, size: nil))
        #expect(expected("analogue_gain", 2, 1)?.isBrighter == false)
        let size = try #require(expected("exposure_time_absolute", 80, 20)?.size)
        #expect(size.contains(log(4)) && !size.contains(0.3 * log(4)) && !size.contains(3 * log(4)))
        // Exposures are cut to the interval of 10 ms, unless the camera lowers its rate.
        let cut = try #require(expected("exposure_time_absolute", 80, 1000)?.size)
        #expect(cut.contains(log(1.25)) && cut.contains(log(12.5)))
        #expect(expected("exposure_time_absolute", 200, 1000) == nil)
        #expect(expected("gain", nil, 2) == nil && expected("focus_absolute", 1, 2) == nil)
        #expect(
            ExpectedStep(
                [
                    ControlChange(control: "gain", old: 1, new: 2),
                    ControlChange(control: "exposure_time_absolute", old: 20, new: 40),
                ], interval: .milliseconds(10)) == nil, "one may act before the other")
    }
}
