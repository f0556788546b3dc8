import CaptureModel
import CaptureTestSupport
import Testing

@testable import ScreenTiming

@Suite struct ScreenTimingEstimatorTests {
    @Test(
        "Finds a hidden latency of 5 to 80 ms within half a millisecond, whatever exposure, rolling shutter and lag",
        arguments: TestExtent.some(8, of: UInt64(1)...50))
    func hidden(seed: UInt64) throws {
        let screen = SimulatedScreen.random(seed: seed)
        let timing = try screen.timing(seed: seed)
        let lag = Duration.microseconds(Int64(screen.lag * 1000))
        let measured = timing.latency(try #require(ScreenLag(least: lag, most: lag)))
        let error = abs(measured.correction.milliseconds + screen.latency)
        #expect(error < 0.5, "\(screen) \(timing)")
        #expect(error <= (timing.fit + timing.clock).milliseconds, "\(screen) \(timing)")
        #expect(measured.uncertainty < .milliseconds(1), "\(screen) \(timing)")
        // Without the screen's lag, the uncertainty says so.
        let unknown = timing.latency(.unknown)
        #expect(abs(unknown.correction.milliseconds + screen.latency) <= unknown.uncertainty.milliseconds)
        #expect(unknown.uncertainty >= .milliseconds(30))
    }

    @Test("Two cameras at one screen differ by their latencies, whatever the screen's lag")
    func relative() throws {
        for seed in UInt64(60)...64 {
            var (left, right) = (SimulatedScreen.random(seed: seed), SimulatedScreen.random(seed: seed + 100))
            right.sequence = left.sequence
            right.lag = left.lag
            left.rows = 2..<9
            let (first, second) = (try left.timing(seed: 1), try right.timing(seed: 2))
            let found = (second.correction - first.correction).milliseconds
            #expect(abs(found - (left.latency - right.latency)) < 0.5)
        }
    }

    /// A camera with a measured correction.
    private struct Calibrated {
        var screen: SimulatedScreen
        var timing: ScreenTiming

        /// What its node says of a picture that was taken at an instant, in milliseconds.
        func stated(_ truth: Double, jitter: Double, _ shared: SharedError) -> InstantSpread.Instant {
            let (correction, uncertainty) = timing.latency(.unknown)
            let stamp = truth + screen.latency + jitter * screen.stampJitter
            return InstantSpread.Instant(
                BoundedRigTime(time: SimulatedScreen.time(stamp) + correction, bound: uncertainty),
                sharedError: shared)
        }
    }

    @Test(
        "Pictures of cameras that were measured at one screen are apart as stated, within a bound without the screen's lag",
        arguments: TestExtent.some(3, of: UInt64(1)...30))
    func together(seed: UInt64) throws {
        var random = SplitMix64(seed: seed + 1000)
        func within(_ least: Double, _ most: Double) -> Double { least + random.fraction() * (most - least) }
        let (lag, scan) = (within(0, 60), within(0, 16))
        let cameras = try (UInt64(0)..<3).map { number in
            var screen = SimulatedScreen.random(seed: seed * 3 + number)
            (screen.sequence, screen.lag, screen.scan) = (ScreenSequence(seed: seed), lag, scan)
            screen.readout = within(0, 20)
            let top = Int(within(0, 3.99))
            screen.rows = top..<min(top + Int(within(6, 9.99)), ScreenPicture.rows)
            return Calibrated(
                screen: screen, timing: try screen.timing(seed: number, longestScan: .milliseconds(17)))
        }
        var generator = SeededGenerator(seed: seed)
        let shared = SharedError(
            MeasurementID(unixMilliseconds: 0, using: &generator), bound: ScreenLag.unknown.halfWidth)
        for _ in 0..<20 {
            let truth = cameras.map { _ in within(-12, 12) }
            let stated = zip(cameras, truth).map { $0.stated($1, jitter: within(-1, 1), shared) }
            for (camera, (instant, truth)) in zip(cameras, zip(stated, truth)) {
                let error = (instant.time.time - SimulatedScreen.time(truth)).magnitude
                #expect(error <= instant.time.bound, "\(camera.screen) \(camera.timing)")
            }
            let spread = try #require(InstantSpread(of: stated))
            let (first, last) = (try #require(truth.min()), try #require(truth.max()))
            let error = abs(spread.spread.milliseconds - (last - first))
            #expect(error <= spread.bound.milliseconds, "\(cameras)")
            // It is what the cameras' own uncertainties add up to, where 60 ms would be the lag's part alone.
            let own = cameras.map(\.timing.uncertainty).sorted().suffix(2).reduce(Duration.zero, +)
            #expect(spread.bound <= own && own < .milliseconds(30))
            #expect(try #require(InstantSpread(of: stated.map(\.time))).bound >= .milliseconds(60))
        }
    }

    @Test(
        "A light in one row does not tell when the middle row is exposed, and the error says so",
        arguments: [1, 5, 10])
    func oneRow(row: Int) throws {
        var screen = SimulatedScreen()
        (screen.rows, screen.readout, screen.latency) = (row..<row + 1, 20, 30)
        let timing = try screen.timing()
        #expect(timing.rows == nil)
        #expect(abs(timing.correction.milliseconds + 30) <= (timing.fit + timing.clock).milliseconds)
        let height = (Double(row) + 0.5) / 12 - 0.5
        #expect(timing.fit.milliseconds >= abs(height) * 33 && timing.fit.milliseconds < abs(height) * 34 + 0.5)
    }

    @Test(
        "The less of the picture the screen fills, and the farther from its middle, the more its scan counts",
        arguments: [(2..<10, 0.125), (0..<12, 0.5), (4..<12, 0.5), (1..<5, 1.5)])
    func scan(rows: Range<Int>, share: Double) throws {
        var screen = SimulatedScreen()
        screen.rows = rows
        let none = try screen.timing()
        #expect(none.scan == .zero && none.uncertainty == none.fit + none.jitter + none.clock)
        let timing = try screen.timing(longestScan: .milliseconds(16))
        #expect(abs(timing.scan.milliseconds - 16 * share) < 1e-6)
        #expect(timing.uncertainty == none.uncertainty + timing.scan)
    }

    @Test("A camera whose stamps are known tells the screen's lag", arguments: [0.0, 17, 60])
    func reference(lag: Double) throws {
        var screen = SimulatedScreen()
        screen.lag = lag
        let timing = try screen.timing()
        let narrowed = try #require(ScreenLag.unknown.narrowed(by: timing, stampBound: .microseconds(100)))
        #expect(narrowed.least.milliseconds <= lag && lag <= narrowed.most.milliseconds)
        #expect(narrowed.halfWidth < .milliseconds(1))
        screen.lag = lag - 80
        #expect(ScreenLag.unknown.narrowed(by: try screen.timing(), stampBound: .microseconds(100)) == nil)
    }

    @Test("Finds how long the rows take, in either direction", arguments: [-25.0, -8, 0, 12, 30])
    func readout(milliseconds: Double) throws {
        var screen = SimulatedScreen()
        (screen.readout, screen.latency) = (milliseconds, 33)
        let timing = try screen.timing()
        let rows = try #require(timing.rows)
        #expect(abs(rows.milliseconds - milliseconds) < 1)
        #expect(abs(rows.milliseconds - milliseconds) <= timing.rowsError.milliseconds)
        #expect(abs(timing.correction.milliseconds + 33) < 0.5)
    }

    @Test("A latency of a second is not taken for another one", arguments: [-900.0, -300, 300, 600, 900, 1400])
    func far(latency: Double) throws {
        var screen = SimulatedScreen()
        screen.latency = latency
        guard latency > -400 else {
            #expect(throws: ScreenTimingProblem.self) { try screen.timing() }
            return
        }
        #expect(abs(try screen.timing().correction.milliseconds + latency) < 0.5)
    }

    @Test("A camera whose exposures never meet a switch has an uncertainty that says so")
    func locked() throws {
        var screen = SimulatedScreen()
        // Each exposure of 1 ms is at the same place of the screen's own period.
        (screen.exposure, screen.interval, screen.loss, screen.stampJitter) = (1, 50, 0, 0)
        (screen.latency, screen.phase) = (40, 10)
        let raw = screen.switches(seconds: 20)
        let grid = raw.map {
            ScreenSwitch(
                time: RigTime(nanoseconds: $0.time.nanoseconds / 50_000_000 * 50_000_000), isWhite: $0.isWhite)
        }
        let pictures = (0..<400).compactMap { index -> ScreenPicture? in
            let middle = SimulatedScreen.start + 10 + Double(index) * 50
            let isWhite = grid.last { $0.time <= SimulatedScreen.time(middle) }?.isWhite ?? false
            let cells = [UInt8](repeating: isWhite ? 220 : 10, count: ScreenPicture.rows * ScreenPicture.columns)
            return ScreenPicture(
                midExposure: SimulatedScreen.time(middle + 40), clockBound: .zero, exposure: .milliseconds(1),
                cells: cells)
        }
        let timing = try ScreenTimingEstimator(switches: grid, clockBound: .zero).timing(of: pictures)
        #expect(abs(timing.correction.milliseconds + 40) <= timing.uncertainty.milliseconds)
        #expect(timing.uncertainty > .milliseconds(20))
    }

    @Test("Says why pictures tell nothing")
    func problems() throws {
        func problem(_ change: (inout SimulatedScreen) -> Void, seconds: Double = 20) -> ScreenTimingProblem? {
            var screen = SimulatedScreen()
            screen.latency = 20
            change(&screen)
            do {
                _ = try screen.timing(seconds: seconds)
                return nil
            } catch {
                return error as? ScreenTimingProblem
            }
        }
        #expect(problem { _ in } == nil)
        guard case .tooFewPictures? = problem({ _ in }, seconds: 1) else { Issue.record(); return }
        guard case .tooFewSwitches? = problem({ _ in }, seconds: 3) else { Issue.record(); return }
        #expect(problem { $0.white = $0.black } != nil)
        // The clock in the corner changes, and nothing else does.
        #expect(problem { $0.rows = 0..<0 } == .otherScreen)
        var other = SimulatedScreen()
        other.sequence = ScreenSequence(seed: 2)
        let estimator = ScreenTimingEstimator(switches: SimulatedScreen().switches(seconds: 20), clockBound: .zero)
        // Sequences of two seeds have the same slots, so that no delay explains one by the other better than the next one.
        #expect(throws: ScreenTimingProblem.ambiguous) {
            try estimator.timing(of: other.pictures(seconds: 20, seed: 1))
        }
        var changed = SimulatedScreen().pictures(seconds: 20, seed: 1)
        changed[70].exposure = .milliseconds(16)
        #expect(throws: ScreenTimingProblem.exposureChanged(from: .milliseconds(8), to: .milliseconds(16))) {
            try estimator.timing(of: changed)
        }
    }

    @Test("Says whether pictures without contrast are dark, bright, or of something else")
    func contrast() {
        for (luma, problem) in [(UInt8(10), ScreenTimingProblem.tooDark), (250, .tooBright), (128, .screenNotSeen)] {
            let pictures = (0..<100).compactMap { index in
                ScreenPicture(
                    midExposure: RigTime(nanoseconds: index * 33_000_000), clockBound: .zero, exposure: nil,
                    cells: [UInt8](repeating: luma, count: ScreenPicture.rows * ScreenPicture.columns))
            }
            #expect(throws: problem) {
                try ScreenTimingEstimator(switches: [], clockBound: .zero).timing(of: pictures)
            }
        }
    }
}
