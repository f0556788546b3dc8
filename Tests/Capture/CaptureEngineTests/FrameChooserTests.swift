import CaptureEngine
import CaptureModel
import Testing

@Suite struct FrameChooserTests {
    private static func at(_ seconds: Double) -> RigTime {
        RigTime(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    let chooser = FrameChooser(time: Self.at(1), period: .milliseconds(100), delivery: .milliseconds(150))

    private func decide(_ seconds: [Double], now: Double = 1.15) -> FrameChooser.Decision {
        chooser.decide(midExposures: seconds.map(Self.at), now: Self.at(now))
    }

    @Test func noFrameIsChosenWhileABetterOneMayCome() {
        #expect(decide([0.8, 0.9, 0.99]) == .wait(until: Self.at(1.16)))
        #expect(decide([]) == .wait(until: Self.at(1.35)))
    }

    @Test func theFrameOfTIsAwaitedForLongerThanTwoIntervalsIfFramesComeThatLate() {
        let chooser = FrameChooser(time: Self.at(1), period: .milliseconds(100), delivery: .milliseconds(300))
        func decide(_ seconds: [Double], now: Double) -> FrameChooser.Decision {
            chooser.decide(midExposures: seconds.map(Self.at), now: Self.at(now))
        }
        #expect(decide([0.7, 0.8], now: 1.25) == .wait(until: Self.at(1.5)))
        #expect(decide([0.8, 0.9], now: 1.29) == .wait(until: Self.at(1.4)))
        #expect(decide([0.8, 0.9, 1.0], now: 1.3) == .choose(index: 2))
        guard case .missed = decide([0.7, 0.8], now: 1.5) else {
            Issue.record("a camera that sends no more frames is awaited for ever")
            return
        }
    }

    @Test func aFrameBeforeTIsFinalOnceOneAsCloseAfterTWouldHaveArrived() {
        let chooser = FrameChooser(time: Self.at(1), period: .milliseconds(100), delivery: .milliseconds(15))
        func decide(now: Double) -> FrameChooser.Decision {
            chooser.decide(midExposures: [0.88, 0.98].map(Self.at), now: Self.at(now))
        }
        #expect(decide(now: 1.034) != .choose(index: 1))
        #expect(decide(now: 1.036) == .choose(index: 1))
    }

    @Test func aFrameTooFarBeforeTIsNotSettledFor() {
        let chooser = FrameChooser(time: Self.at(1), period: .milliseconds(100), delivery: .zero)
        #expect(chooser.decide(midExposures: [Self.at(0.85)], now: Self.at(1.16)) == .wait(until: Self.at(1.2)))
    }

    @Test func theNearestOfTheNeighborsOfTIsChosen() {
        #expect(decide([0.86, 0.96, 1.06]) == .choose(index: 1))
        #expect(decide([1.02, 0.92, 0.82]) == .choose(index: 0))
        #expect(decide([0.9, 1.0, 1.1]) == .choose(index: 1))
    }

    @Test func ofTwoEquallyNearFramesTheEarlierIsChosen() {
        #expect(decide([0.95, 1.05]) == .choose(index: 0))
        #expect(decide([1.05, 0.95]) == .choose(index: 1))
    }

    @Test func aFrameOneIntervalAwayIsChosenAndFartherIsMissed() {
        #expect(decide([0.9], now: 1.35) == .choose(index: 0))
        #expect(decide([1.1]) == .choose(index: 0))
        for decision in [decide([0.89], now: 1.35), decide([1.101]), decide([], now: 1.35)] {
            guard case .missed(let problem) = decision else {
                Issue.record("expected missed, got \(decision)")
                continue
            }
            #expect(problem.code == .noFrameNearTime)
        }
    }

    @Test("Takes the nearest whole frame beside a damaged one")
    func wholeNeighbor() {
        func decide(_ seconds: [Double], damaged: Set<Int>, now: Double = 1.35) -> FrameChooser.Decision {
            chooser.decide(midExposures: seconds.map(Self.at), damaged: damaged, now: Self.at(now))
        }
        #expect(decide([0.9, 1.0, 1.1], damaged: [1]) == .choose(index: 0))
        #expect(decide([0.89, 1.0, 1.11], damaged: [1]) == .choose(index: 0), "jitter beyond a period")
        #expect(decide([0.96, 1.06, 1.16], damaged: [0]) == .choose(index: 1))
        #expect(decide([0.94, 1.04, 1.14], damaged: [0, 1]) == .choose(index: 2))
        #expect(decide([0.84, 1.0, 1.16], damaged: [1]) == .choose(index: 1), "no whole one is near")
        #expect(decide([0.9, 1.0, 1.1], damaged: [0, 1, 2]) == .choose(index: 1))
        #expect(decide([0.9, 1.0], damaged: [0, 1], now: 1.15) == .wait(until: Self.at(1.35)), "a whole one may come")
        guard case .missed = decide([0.8, 1.2], damaged: [0, 1]) else {
            Issue.record("a damaged frame that is far from T was chosen")
            return
        }
    }

    @Test func nonsenseFromACameraDoesNotTrap() {
        let far = FrameChooser(time: RigTime(nanoseconds: .max), period: .nanoseconds(-5), delivery: .seconds(60))
        #expect(far.period == .milliseconds(1))
        let decision = far.decide(
            midExposures: [RigTime(nanoseconds: .min), RigTime(nanoseconds: .max)], now: RigTime(nanoseconds: .min))
        #expect(decision == .choose(index: 1))
    }
}
