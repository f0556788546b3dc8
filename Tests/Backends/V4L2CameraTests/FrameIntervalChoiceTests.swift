import CameraKit
import Testing
import Video4Linux

@testable import V4L2Camera

struct FrameIntervalChoiceTests {
    private let webcam = [Fraction(1, 5), Fraction(1001, 30000), Fraction(1, 15)].map { FrameIntervals($0) }

    @Test func aCameraWithoutSettingsWouldRunAtItsLowestRate() {
        let choice = FrameIntervalChoice.interval(framesPerSecond: nil, from: webcam + [FrameIntervals(Fraction(0, 0))])
        #expect(choice == Fraction(1001, 30000))
    }

    @Test func thirtyFramesWouldBeRefusedByACameraOf29Dot97() {
        let choice = FrameIntervalChoice.interval(framesPerSecond: 30, from: webcam)
        #expect(choice == Fraction(1001, 30000))
        #expect(FrameIntervalChoice.meets(choice?.nanoseconds ?? 0, framesPerSecond: 30))
    }

    @Test func aRateThatIsNotOnOfferWouldPassForIt() {
        let choice = FrameIntervalChoice.interval(framesPerSecond: 25, from: webcam)
        #expect(!FrameIntervalChoice.meets(choice?.nanoseconds ?? 0, framesPerSecond: 25))
    }

    @Test func aDriverWithARangeOfRatesWouldRunAtItsHighest() {
        let range = [FrameIntervals(shortest: Fraction(1, 60), longest: Fraction(1, 1))]
        #expect(FrameIntervalChoice.interval(framesPerSecond: 12.5, from: range) == Fraction(1000, 12500))
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1e300, 1e-300])
    func anAbsurdRateInTheConfigurationWouldTrap(_ rate: Double) {
        _ = FrameIntervalChoice.interval(framesPerSecond: rate, from: webcam)
        _ = FrameIntervalChoice.interval(framesPerSecond: rate, from: [])
        _ = Int64(clampingRounded: 1_000_000_000 / rate)
        #expect(!FrameIntervalChoice.meets(33_000_000, framesPerSecond: rate))
    }

    @Test func aDriversSenselessFractionWouldTrap() {
        #expect(Fraction(1, 0).nanoseconds == nil)
        #expect(Fraction(0, 1).nanoseconds == nil)
        #expect(Fraction(.max, 1).nanoseconds == 4_294_967_295_000_000_000)
    }
}
