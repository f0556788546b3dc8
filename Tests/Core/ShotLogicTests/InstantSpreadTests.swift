import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct InstantSpreadTests {
    private func instant(_ microseconds: Int64, _ bound: Int64 = 0) -> BoundedRigTime {
        BoundedRigTime(time: RigTime(nanoseconds: microseconds * 1000), bound: .microseconds(bound))
    }

    @Test("A spread is one of at least two instants") func few() {
        #expect(InstantSpread(of: []) == nil)
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
}
