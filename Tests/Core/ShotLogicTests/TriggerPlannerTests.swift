import CaptureModel
import CaptureTestSupport
import ShotLogic
import Testing

@Suite struct TriggerPlannerTests {
    let planner = TriggerPlanner(limits: TriggerLimits(ringDepth: .seconds(3), maximumAhead: .seconds(30)))
    let received = WallClockPair<RigTimeBase>(
        monotonic: Sample.at(100), realtimeNanoseconds: 1_700_000_000_000_000_000)

    private func camera(phase seconds: Double, rate: Int64 = 30) -> PlannedCamera {
        PlannedCamera(
            clockBound: .milliseconds(1), frameInterval: .nanoseconds(1_000_000_000 / rate),
            phase: FramePhase(midExposure: Sample.at(seconds), periodNanoseconds: 1_000_000_000 / rate))
    }

    @Test func theLeadCoversTheSlowestNodeAndCamera() throws {
        let cameras = [
            camera(phase: 99), PlannedCamera(clockBound: .milliseconds(5), frameInterval: .milliseconds(100)),
        ]
        #expect(planner.defaultLead(cameras) == .milliseconds(240))
        let plan = try planner.plan(
            .soon(lead: nil), received: received, cameras: [PlannedCamera(clockBound: .milliseconds(5))])
        #expect(plan.time == received.monotonic + .nanoseconds(40_000_000 + 2 * 33_333_333))
        #expect(plan.prediction == nil)
    }

    @Test("Allows for the time a camera needs to leave its stream before T") func preparation() throws {
        let slow = PlannedCamera(clockBound: .milliseconds(5), preparation: .seconds(2))
        let plain = planner.defaultLead([PlannedCamera(clockBound: .milliseconds(5))])
        let cameras = [slow, PlannedCamera(clockBound: .milliseconds(5), preparation: .seconds(1))]
        #expect(planner.defaultLead(cameras) == plain + .seconds(2) + TriggerPlanner.preparationAllowance)
        #expect(throws: RigProblem.self) {
            try planner.plan(
                .soon(lead: nil), received: received,
                cameras: [PlannedCamera(preparation: Duration.nanoseconds(Int64.max))])
        }
    }

    @Test("Light and brackets stay until the slowest camera has exposed its last picture") func lastExposure() {
        let intervals = [Duration.milliseconds(20), .milliseconds(100)]
        let time = Sample.at(100)
        #expect(time.lastExposure(of: intervals, PhotoSettings()) == nil, "nothing is set")
        #expect(time.lastExposure(of: [], PhotoSettings(flash: .on)) == nil)
        #expect(time.lastExposure(of: intervals, PhotoSettings(flash: .auto)) == time + .milliseconds(100))
        let bracket = [1, 2, 4].map { BracketStep(exposureNanoseconds: $0 * 1_000_000) }
        #expect(time.lastExposure(of: intervals, PhotoSettings(bracket: bracket)) == time + .milliseconds(2300))
        #expect(time.lastExposure(of: [.seconds(60)], PhotoSettings(flash: .on)) == time + .seconds(1))
    }

    @Test func aFixedTimeIsKeptAndItsSpreadPredicted() throws {
        let cameras = [camera(phase: 99.9), camera(phase: 99.91)]
        let plan = try planner.plan(.relative(nanoseconds: -1_000_000_000), received: received, cameras: cameras)
        #expect(plan.time == Sample.at(99))
        #expect(plan.shift == .zero)
        let spread = try #require(plan.prediction?.spread)
        #expect(spread <= .milliseconds(34))
        let absolute = try planner.plan(
            .absolute(realtimeNanoseconds: 1_700_000_002_500_000_000), received: received, cameras: cameras)
        #expect(absolute.time == Sample.at(102.5))
    }

    @Test func timesOutsideTheLimitsAreRefusedWithTheLimits() {
        let outside: [(RequestedTime, RigProblem.Code)] = [
            (.relative(nanoseconds: -3_000_000_001), .beforeRing), (.relative(nanoseconds: .min), .beforeRing),
            (.relative(nanoseconds: 30_000_000_001), .tooFarAhead), (.soon(lead: .max), .tooFarAhead),
            (.absolute(realtimeNanoseconds: 0), .beforeRing), (.absolute(realtimeNanoseconds: .max), .tooFarAhead),
        ]
        for (requested, code) in outside {
            let problem = #expect(throws: RigProblem.self) {
                try planner.plan(requested, received: received, cameras: [])
            }
            #expect(problem?.code == code)
            #expect(problem?.message.contains("3000.0 ms") == true && problem?.message.contains("30 s") == true)
        }
    }

    @Test(
        "Whoever asks for a picture of last night is told how long ago that is in milliseconds",
        arguments: [
            (-61_084_732, "16 h 58 min"), (-3600 * 76_000, "3 d 4 h"), (-125_000, "2 min 5 s"), (-59_999, "59 s"),
            (-9_999, "9999.0 ms"),
        ])
    func agesInWords(milliseconds: Int64, words: String) {
        let problem = #expect(throws: RigProblem.self) {
            try planner.plan(.relative(nanoseconds: milliseconds * 1_000_000), received: received, cameras: [])
        }
        #expect(problem?.message.hasPrefix("T is \(words) before the request;") == true)
    }

    @Test func timeMovesByAtMostAFrameToWhereTheCamerasAreClosest() throws {
        // Two cameras 5 ms apart: whatever the lead, a plan finds the 5 ms, not the 28.
        let cameras = [camera(phase: 99.9), camera(phase: 99.905)]
        for lead in stride(from: Int64(50_000_000), to: 90_000_000, by: 1_000_000) {
            let plan = try planner.plan(.soon(lead: lead), received: received, cameras: cameras)
            let spread = try #require(plan.prediction?.spread)
            #expect((spread - .milliseconds(5)).magnitude < .microseconds(1))
            #expect(plan.shift >= .zero && plan.shift <= .nanoseconds(33_333_333))
            #expect(plan.time == received.monotonic + .nanoseconds(lead) + plan.shift)
        }
    }

    @Test(arguments: 0..<50) func noInstantOfTheFrameWouldHaveBeenBetter(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rates: [Int64] = [15, 25, 30, 60]
        let cameras = (0..<Int.random(in: 2...8, using: &generator)).map { _ in
            camera(
                phase: Double.random(in: 99..<100, using: &generator),
                rate: rates[Int.random(in: 0..<4, using: &generator)])
        }
        let plan = try planner.plan(.soon(lead: nil), received: received, cameras: cameras)
        let spread = try #require(plan.prediction?.spread)
        let start = received.monotonic + planner.defaultLead(cameras)
        let period = try #require(cameras.compactMap(\.frameInterval).max())
        for step in 0...200 {
            let other = start + period * step / 200
            #expect(spread <= bruteForceSpread(cameras, other) + TriggerPlanner.predictionError + .nanoseconds(2))
        }
        #expect((bruteForceSpread(cameras, plan.time) - spread).magnitude <= .nanoseconds(2))
    }

    /// Two free-running cameras of a model rig: it exposes frames by its own clocks, and tells the planner what a
    /// heartbeat of 300 ms ago told.
    @Test(
        "T is in the middle of the tightest exposures, wherever in the frame interval the request comes",
        arguments: [15.0, 20, 30], [Int64(0), 120, -120])
    func middleOfTheTightest(rate: Double, partsPerMillion: Int64) throws {
        let period = Int64(1e9 / rate)
        let other = period + period * partsPerMillion / 1_000_000
        for request in 0..<100 {
            let start = Sample.at(99.7) + .nanoseconds(period * Int64(request) / 100)
            let frames = [start - .milliseconds(20), start]
            let phases = zip(frames, [period, other]).map { FramePhase(midExposure: $0, periodNanoseconds: $1) }
            let plan = try planner.plan(
                .soon(lead: nil), received: received,
                cameras: phases.map { PlannedCamera(clockBound: .milliseconds(1), phase: $0) })
            let skews = zip(frames, [period, other]).map { nearestFrame(to: plan.time, $0, every: $1) - plan.time }
            let best = min(Duration.milliseconds(20), .nanoseconds(period) - .milliseconds(20))
            let (low, high) = (try #require(skews.min()), try #require(skews.max()))
            // The camera that is 120 ppm off moves by 0.06 ms until T.
            #expect((high - low - best).magnitude < .microseconds(100), "request \(request)")
            #expect(max(high, .zero - low) < best / 2 + .microseconds(100), "request \(request): \(skews)")
        }
    }

    private func nearestFrame(to time: RigTime, _ frame: RigTime, every period: Int64) -> RigTime {
        var nearest = frame
        while (nearest + .nanoseconds(period) - time).magnitude < (nearest - time).magnitude {
            nearest = nearest + .nanoseconds(period)
        }
        return nearest
    }

    @Test("Does not move a T that is to be exact, and predicts its spread", arguments: [nil, 60_000_000] as [Int64?])
    func exact(lead: Int64?) throws {
        let cameras = [camera(phase: 99.9), camera(phase: 99.905), camera(phase: 99.921)]
        let start = received.monotonic + (lead.map { .nanoseconds($0) } ?? planner.defaultLead(cameras))
        let plan = try planner.plan(.soon(lead: lead, exact: true), received: received, cameras: cameras)
        #expect(plan.time == start && plan.shift == .zero)
        let prediction = try #require(plan.prediction)
        #expect((prediction.spread - bruteForceSpread(cameras, start)).magnitude <= .nanoseconds(2))
        #expect(prediction.cameras == 3 && prediction.shiftNanoseconds == 0)
        let moved = try planner.plan(.soon(lead: lead, exact: false), received: received, cameras: cameras)
        #expect(try #require(moved.prediction).spread <= prediction.spread + TriggerPlanner.predictionError)
        #expect(moved.prediction?.shiftNanoseconds == moved.shift.nanoseconds)
        #expect(throws: RigProblem.self) {
            try planner.plan(.soon(lead: 31_000_000_000, exact: true), received: received, cameras: cameras)
        }
    }

    /// Cameras of different periods, of which some have no phase, on either side of the zero of the rig's clock, and after an idle minute.
    @Test(
        "The tightest T of the window is found on both sides of zero, with different periods and without some phases",
        arguments: 0..<60)
    func anyPhases(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let zero = RigTime(nanoseconds: Int64.random(in: -2_000_000_000...2_000_000_000, using: &generator))
        let cameras = (0..<8).map { _ in
            let period = Int64.random(in: 5_000_000...120_000_000, using: &generator)
            let age = Int64.random(in: -3_000_000_000...50_000_000_000, using: &generator)
            let isKnown = Int.random(in: 0..<4, using: &generator) > 0
            return PlannedCamera(
                frameInterval: .nanoseconds(period),
                phase: isKnown ? FramePhase(midExposure: zero - .nanoseconds(age), periodNanoseconds: period) : nil)
        }
        let received = WallClockPair<RigTimeBase>(monotonic: zero, realtimeNanoseconds: 0)
        let plan = try planner.plan(.soon(lead: 100_000_000), received: received, cameras: cameras)
        let known = cameras.compactMap(\.phase)
        guard known.count > 1 else {
            #expect(plan.prediction == nil)
            return
        }
        let prediction = try #require(plan.prediction)
        #expect(prediction.cameras == known.count)
        let start = zero + .milliseconds(100)
        let window = Duration.nanoseconds(known.map(\.periodNanoseconds).max() ?? 0)
        #expect(start <= plan.time && plan.time <= start + window)
        let best = try #require((0...400).map { bruteForceSpread(cameras, start + window * $0 / 400) }.min())
        #expect(prediction.spread <= best + TriggerPlanner.predictionError + .nanoseconds(2))
        #expect((bruteForceSpread(cameras, plan.time) - prediction.spread).magnitude <= .nanoseconds(2))
    }

    @Test("The bound of a prediction is that of the spread and of the extrapolation; unknown if one phase has none")
    func predictionBound() throws {
        func camera(_ milliseconds: Int64, _ bound: Duration?) -> PlannedCamera {
            PlannedCamera(
                phase: FramePhase(
                    midExposure: Sample.at(99) + .milliseconds(milliseconds), periodNanoseconds: 40_000_000,
                    bound: bound))
        }
        func prediction(_ cameras: [PlannedCamera]) throws -> SpreadPrediction? {
            try planner.plan(.soon(lead: 0), received: received, cameras: cameras).prediction
        }
        let known = try #require(try prediction([camera(0, .microseconds(200)), camera(7, .microseconds(300))]))
        #expect(known.spread == .milliseconds(7))
        #expect(known.bound == .microseconds(500) + TriggerPlanner.predictionError)
        let unknown = try #require(try prediction([camera(0, .microseconds(200)), camera(7, nil)]))
        #expect(unknown.spread == .milliseconds(7) && unknown.bound == nil)
        var leaving = camera(20, .microseconds(1))
        leaving.preparation = .seconds(1)
        #expect(try prediction([camera(0, .zero), leaving]) == nil, "a camera that leaves its stream keeps no phase")
    }

    @Test("The bound of a prediction grows with each frame until T by the errors of the periods, up to a period")
    func periodBound() throws {
        func bound(_ periodBound: Duration, _ lead: Duration) throws -> Duration? {
            let cameras = (0..<2).map { _ in
                PlannedCamera(
                    phase: FramePhase(
                        midExposure: received.monotonic, periodNanoseconds: 40_000_000, bound: .microseconds(200),
                        periodBound: periodBound))
            }
            let plan = try planner.plan(.relative(nanoseconds: lead.nanoseconds), received: received, cameras: cameras)
            return try #require(plan.prediction).bound
        }
        let near = TriggerPlanner.predictionError + .microseconds(400)
        #expect(try bound(.zero, .seconds(4)) == near)
        #expect(try bound(.microseconds(2), .zero) == near + .microseconds(4))
        #expect(try bound(.microseconds(2), .seconds(4)) == near + .microseconds(404))
        #expect(try bound(.seconds(3), .seconds(4)) == near + .milliseconds(80))
        #expect(try bound(.seconds(1_000_000_000), .seconds(4)) == near + .milliseconds(80))
    }

    @Test func nonsensePhasesAreNotBelieved() throws {
        let odd = [0, -1, .min, .max, 1].map { (period: Int64) in
            PlannedCamera(
                clockBound: .seconds(-1), frameInterval: .seconds(1_000_000),
                phase: FramePhase(midExposure: RigTime(nanoseconds: period), periodNanoseconds: period))
        }
        let plan = try planner.plan(.soon(lead: nil), received: received, cameras: odd)
        #expect(plan.prediction == nil)
        #expect(plan.time - received.monotonic < .seconds(3))
    }

    /// The spread by trying all frames around an instant.
    private func bruteForceSpread(_ cameras: [PlannedCamera], _ time: RigTime) -> Duration {
        let nearest = cameras.compactMap(\.phase).map { phase in
            let steps = (time - phase.midExposure).nanoseconds / phase.periodNanoseconds
            let frames = (steps - 2...steps + 2).map { phase.midExposure + .nanoseconds($0 * phase.periodNanoseconds) }
            return frames.min { ($0 - time).magnitude < ($1 - time).magnitude } ?? time
        }
        return (nearest.max() ?? time) - (nearest.min() ?? time)
    }
}
