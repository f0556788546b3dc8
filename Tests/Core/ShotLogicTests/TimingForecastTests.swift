import CaptureModel
import ShotLogic
import Testing

/// What is refused before T because of the limits of a shot.
@Suite struct TimingForecastTests {
    private let time = Sample.at(100)

    /// A camera of 25 frames per second, of which the nearest frame is expected this long after T.
    private func forecast(
        _ device: String, skew: Duration = .zero, bound: Duration? = .microseconds(300),
        clockBound: Duration? = .microseconds(200), preparation: Duration? = nil
    ) throws -> TimingForecast {
        let phase = FramePhase(midExposure: time + skew - .seconds(2), periodNanoseconds: 40_000_000, bound: bound)
        let camera = PlannedCamera(
            clockBound: clockBound, frameInterval: .milliseconds(40), phase: phase, preparation: preparation)
        return TimingForecast(try DeviceID(device), camera, at: time)
    }

    private func limits(
        skew: Duration? = nil, bound: Duration? = nil, _ onExcess: TimingLimits.OnExcess = .refuse
    ) -> TimingLimits {
        TimingLimits(maxSkew: skew, maxBound: bound, onExcess: onExcess)
    }

    @Test("Refuses a shot of a camera whose bound is too large, and says what helps") func bound() throws {
        let clock = try forecast("n1/cam1", bound: .microseconds(900), clockBound: .microseconds(800))
        let stamp = try forecast("n2/cam1", bound: .milliseconds(40), clockBound: .microseconds(200))
        let exact = try forecast("n3/cam1", bound: .microseconds(500))
        let problem = try #require(
            TimingForecast.objection([clock, stamp, exact], limits(bound: .microseconds(500))))
        #expect(problem.code == .limitsExceeded)
        for words in [
            "n1/cam1: its bound is 900 µs, and at most 500 µs is allowed; that of its node's clock alone is 800 µs: `capctl sync status`",
            "n2/cam1: its bound is 40 ms, and at most 500 µs is allowed; measure the camera's latency: `capctl sync calibrate --device n2/cam1`",
        ] {
            #expect(problem.message.contains(words), "\(problem.message)")
        }
        #expect(!problem.message.contains("n3/cam1"), "its bound is the limit, and not larger")
    }

    @Test("Of a camera without a phase, the bound of its clock is known") func clockAlone() throws {
        let camera = PlannedCamera(clockBound: .milliseconds(2))
        let forecast = TimingForecast(try DeviceID("n1/cam1"), camera, at: time)
        #expect(forecast.skew == nil && forecast.bound == .milliseconds(2))
        #expect(TimingForecast.objection([forecast], limits(bound: .milliseconds(1)))?.code == .limitsExceeded)
        #expect(TimingForecast.objection([forecast], limits(skew: .microseconds(1))) == nil)
        let unknown = TimingForecast(try DeviceID("n1/cam1"), PlannedCamera(), at: time)
        #expect(TimingForecast.objection([unknown], limits(skew: .microseconds(1), bound: .microseconds(1))) == nil)
    }

    @Test("Refuses a skew only if it exceeds the limit by more than a prediction may be wrong") func skew() throws {
        let limit = limits(skew: .milliseconds(5))
        #expect(try TimingForecast.objection([forecast("n1/cam1", skew: .milliseconds(-6))], limit) == nil)
        let late = try forecast("n1/cam1", skew: .microseconds(6001))
        #expect(late.skew == .microseconds(6001))
        let problem = try #require(TimingForecast.objection([late], limit))
        #expect(problem.message.contains("n1/cam1: its nearest frame is expected 6001 µs from T, and at most 5000 µs"))
        let early = try forecast("n1/cam1", skew: .milliseconds(-7))
        #expect(TimingForecast.objection([early], limit)?.code == .limitsExceeded)
    }

    @Test("Refuses no skew that is only expected because the period is not known well enough") func drift() throws {
        func forecast(_ periodBound: Duration) throws -> TimingForecast {
            let phase = FramePhase(
                midExposure: time + .milliseconds(12) - .seconds(2), periodNanoseconds: 40_000_000,
                bound: .microseconds(300), periodBound: periodBound)
            return TimingForecast(try DeviceID("n1/cam1"), PlannedCamera(phase: phase), at: time)
        }
        let limit = limits(skew: .milliseconds(5))
        // 50 frames, and the one in which T is.
        #expect(try TimingForecast.objection([forecast(.microseconds(110))], limit)?.code == .limitsExceeded)
        #expect(try TimingForecast.objection([forecast(.microseconds(120))], limit) == nil)
        #expect(try TimingForecast.objection([forecast(.seconds(1_000_000_000))], limit) == nil)
    }

    @Test("A still larger than the stream has no skew that could be known before") func larger() throws {
        let larger = try forecast("n1/cam1", skew: .milliseconds(19), preparation: .seconds(1))
        #expect(TimingForecast.objection([larger], limits(skew: .milliseconds(1))) == nil)
    }

    @Test("A shot without limits, or whose pictures are only marked, is not refused") func marked() throws {
        let bad = [try forecast("n1/cam1", skew: .milliseconds(19), bound: .seconds(1))]
        #expect(TimingForecast.objection(bad, nil) == nil)
        #expect(TimingForecast.objection(bad, limits()) == nil)
        #expect(TimingForecast.objection(bad, limits(skew: .microseconds(1), bound: .microseconds(1), .mark)) == nil)
    }

    @Test("Names eight cameras, and counts the others") func many() throws {
        let bad = try (1...11).map { try forecast("n\($0)/cam1", bound: .seconds(1)) }
        let problem = try #require(TimingForecast.objection(bad, limits(bound: .milliseconds(1))))
        #expect(problem.message.contains("n8/cam1") && !problem.message.contains("n9/cam1"))
        #expect(problem.message.contains("; and 3 further cameras. "))
    }
}
