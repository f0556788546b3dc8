import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct InstantSpreadTests {
    private func instant(_ microseconds: Int64, _ bound: Int64 = 0) -> BoundedRigTime {
        BoundedRigTime(time: RigTime(nanoseconds: microseconds * 1000), bound: .microseconds(bound))
    }

    @Test("A spread is one of at least two instants") func few() {
        #expect(InstantSpread(of: [] as [BoundedRigTime]) == nil)
        #expect(InstantSpread(of: [instant(1, 1)]) == nil)
    }

    @Test("Names the earliest and the latest instant, two different ones even if all are equal") func pair() throws {
        let spread = try #require(InstantSpread(of: [instant(5), instant(-7), instant(900), instant(3)]))
        #expect((spread.earliest, spread.latest) == (1, 2))
        #expect(spread.spread == .microseconds(907) && spread.bound == .zero)
        let equals = try #require(InstantSpread(of: [instant(4, 2), instant(4, 3)]))
        #expect((equals.earliest, equals.latest) == (0, 1))
        #expect(equals.spread == .zero && equals.bound == .microseconds(5))
    }

    @Test("An instant that nothing is known of does not stand for both ends of the spread") func oneIsVague() throws {
        // The vague one alone covers ±1 s. Compared with the others, the spread is at most 1 s and 11 µs.
        let spread = try #require(InstantSpread(of: [instant(0, 1), instant(0, 1_000_000), instant(10, 1)]))
        #expect(spread.spread == .microseconds(10))
        #expect(spread.bound == .microseconds(1_000_001))
    }

    @Test("The spread of the true instants is within the bound, and reaches it", arguments: 0..<200 as Range<UInt64>)
    func bound(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let known = (0..<Int.random(in: 2...5, using: &generator)).map { _ in
            instant(Int64.random(in: -300...300, using: &generator), Int64.random(in: 0...200, using: &generator))
        }
        let spread = try #require(InstantSpread(of: known))
        func error(_ ends: [Int64]) -> Duration {
            let truth = zip(known, ends).map { $0.time + $0.bound * Int($1) / 8 }.sorted()
            return (truth[truth.count - 1] - truth[0] - spread.spread).magnitude
        }
        for _ in 0..<200 {
            #expect(error(known.map { _ in Int64.random(in: -8...8, using: &generator) }) <= spread.bound)
        }
        // The farthest: each pair apart, and everything else at its figure. The closest: every instant as near as can be to a point.
        var worst = Duration.zero
        for last in known.indices {
            for first in known.indices where first != last {
                worst = max(worst, error(known.indices.map { $0 == last ? 8 : $0 == first ? -8 : 0 }))
            }
        }
        for point in known.flatMap({ [$0.time - $0.bound, $0.time + $0.bound] }) {
            let near = known.map { min(max(point, $0.time - $0.bound), $0.time + $0.bound) }.sorted()
            worst = max(worst, (near[near.count - 1] - near[0] - spread.spread).magnitude)
        }
        #expect(worst == spread.bound)
    }

    private func measurement(_ number: UInt64) -> MeasurementID {
        var generator = SeededGenerator(seed: number)
        return MeasurementID(unixMilliseconds: 0, using: &generator)
    }

    @Test("What cameras of one measurement share cancels between them, and counts between them and others")
    func shared() throws {
        let one = SharedError(measurement(1), bound: .microseconds(30_000))
        let other = SharedError(measurement(2), bound: .microseconds(30_000))
        func vague(_ time: Int64, _ shared: SharedError?) -> InstantSpread.Instant {
            InstantSpread.Instant(instant(time, 30_500), sharedError: shared)
        }
        let pair = try #require(InstantSpread(of: [vague(0, one), vague(4000, one)]))
        #expect(pair.spread == .microseconds(4000) && pair.bound == .microseconds(1000))
        let trio = [vague(0, one), vague(4000, one), vague(2000, one)]
        #expect(try #require(InstantSpread(of: trio)).bound == .microseconds(1000))
        for strangers in [[one, other], [one, nil], [nil, nil]] as [[SharedError?]] {
            let spread = try #require(InstantSpread(of: [vague(0, strangers[0]), vague(4000, strangers[1])]))
            #expect(spread.bound == .microseconds(61_000))
        }
        // The third camera may be 30.5 ms from where it is said to be, and the other two 30.5 ms the other way.
        let guest = try #require(
            InstantSpread(of: [vague(0, one), vague(4000, one), InstantSpread.Instant(instant(2000, 100))]))
        #expect((guest.earliest, guest.latest) == (0, 1) && guest.bound == .microseconds(28_600))
    }

    @Test(
        "The spread of true instants that share errors is within the bound, and reaches it",
        arguments: 0..<100 as Range<UInt64>)
    func sharedBound(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func microseconds(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) * 8 }
        // All are multiples of 8 µs, so that the extremes are among the steps below.
        let parts = (0..<2).map { _ in microseconds(0...10) }
        let cameras = (0..<Int.random(in: 2...5, using: &generator)).map { _ in
            Camera(time: microseconds(-30...30), own: microseconds(0...15), group: Int(microseconds(0...2) / 8))
        }
        let known = cameras.map { camera in
            guard parts.indices.contains(camera.group) else {
                return InstantSpread.Instant(instant(camera.time, camera.own))
            }
            let part = parts[camera.group]
            return InstantSpread.Instant(
                instant(camera.time, camera.own + part),
                sharedError: SharedError(measurement(UInt64(camera.group)), bound: .microseconds(part)))
        }
        let spread = try #require(InstantSpread(of: known))
        var worst = Duration.zero
        for first in stride(from: -parts[0], through: parts[0], by: 8) {
            for second in stride(from: -parts[1], through: parts[1], by: 8) {
                let times = cameras.map { $0.time + [first, second, 0][$0.group] }
                let lows = zip(times, cameras).map { $0 - $1.own }
                let highs = zip(times, cameras).map { $0 + $1.own }
                let distances = cameras.indices.flatMap { one in
                    cameras.indices.filter { $0 != one }.map { highs[one] - lows[$0] }
                }
                let farthest = try #require(distances.max())
                let (low, high) = (try #require(lows.max()), try #require(highs.min()))
                for extreme in [farthest, max(0, low - high)] {
                    worst = max(worst, (Duration.microseconds(extreme) - spread.spread).magnitude)
                }
            }
        }
        #expect(worst == spread.bound)
    }

    /// Microseconds; of the third group, a camera shares nothing.
    private struct Camera {
        var time: Int64
        var own: Int64
        var group: Int
    }
}
