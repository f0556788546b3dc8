import CameraKit
import CaptureModel
import CaptureTestSupport
import RigConfiguration
import Testing

@testable import RTSPCamera

/// A camera whose clock is not ours, behind a network that delays.
private struct FarCamera {
    var generator = SeededGenerator(seed: 11)
    let interval = Duration.milliseconds(40)
    /// The shortest time from an exposure to the arrival.
    let latency = Duration.milliseconds(180)
    /// What its clock says beside the truth.
    var setting = Duration.seconds(1_700_000_000)
    /// How much too fast its clock is, parts per million.
    let drift: Double
    /// The greatest error of a sender report; every 125 pictures there is one.
    let reportError: Duration
    private var error = Duration.zero
    private(set) var count = 0

    init(drift: Double = 0, reportError: Duration = .zero) {
        self.drift = drift
        self.reportError = reportError
    }

    struct Shown {
        var exposure: LocalTime
        var arrival: Arrival
        var wallClock: Duration
        var mediaTime: Duration
    }

    mutating func next() -> Shown {
        defer { count += 1 }
        let time = interval * count
        let exposure = LocalTime(nanoseconds: 5_000_000_000_000) + time
        // Now and then the network is quick; mostly not.
        let delay = Duration.microseconds(Int64.random(in: 0...60_000, using: &generator))
        if count % 125 == 0, reportError > .zero {
            error = .nanoseconds(
                Int64.random(in: -reportError.nanoseconds...reportError.nanoseconds, using: &generator))
        }
        let own = time + .nanoseconds(Int64(Double(time.nanoseconds) * drift / 1e6))
        return Shown(
            exposure: exposure, arrival: Arrival(instant: exposure + latency + delay, delay: .zero),
            wallClock: setting + own + error, mediaTime: own)
    }
}

@Suite("RTSP camera: times")
struct CameraClockTests {
    private let wrap = Duration.microseconds(47_721_858_844)

    private func stamps(_ correction: StampCorrection = .init(), largest: Duration = .milliseconds(240)) -> RTSPStamps {
        RTSPStamps(correction, largestLatency: largest, wrap: wrap)
    }

    /// The calibration of a ``FarCamera``.
    private let measured = StampCorrection(latencyOffset: .milliseconds(-180), uncertainty: .milliseconds(8))

    /// Stamps pictures, and returns the errors and the bounds.
    private func run(
        _ camera: inout FarCamera, _ stamps: inout RTSPStamps, pictures: Int
    ) -> [(error: Duration, bound: Duration)] {
        (0..<pictures).map { _ in
            let shown = camera.next()
            let told = stamps.observe(shown.wallClock, mediaTime: shown.mediaTime, arrival: shown.arrival)
            let stamp = stamps.stamp(of: shown.arrival, told)
            return ((stamp.midExposure - shown.exposure).magnitude, stamp.bound)
        }
    }

    @Test("Stamps with the arrival, and covers the largest latency, before the first sender report")
    func receipt() {
        var stamps = stamps()
        let camera = LocalTime(nanoseconds: 7_000_000_000)
        let arrival = Arrival(instant: camera, delay: .zero)
        #expect(stamps.observe(nil, mediaTime: .zero, arrival: arrival) == nil)
        #expect(stamps.stamp(of: arrival, nil) == FrameStamp(midExposure: camera, bound: .milliseconds(240)))
    }

    @Test(
        "Covers the truth for an hour without a measured latency, whatever the camera's clock does", arguments: [0, 1])
    func unmeasured(error: Int) {
        var camera = FarCamera(drift: 300, reportError: .milliseconds(8 * error))
        var stamps = stamps()
        let all = run(&camera, &stamps, pictures: 90_000)
        #expect(all.allSatisfy { $0.error <= $0.bound })
        // An instant that would not rise is moved, and its bound widened.
        #expect(all.map(\.bound).max() ?? .zero < .milliseconds(241 + 60 * error))
    }

    @Test("Spaces pictures as the camera says, and covers the truth for an hour with a measured latency")
    func measuredLatency() {
        var camera = FarCamera(drift: -100)
        var stamps = stamps(measured)
        _ = run(&camera, &stamps, pictures: 300)
        let all = run(&camera, &stamps, pictures: 90_000)
        #expect(all.allSatisfy { $0.error <= $0.bound })
        // The network delays by up to 60 ms.
        #expect(all.map(\.error).max() ?? .zero < .milliseconds(12))
        #expect(all.map(\.bound).max() ?? .zero < .milliseconds(20))
        #expect(stamps.jumps == 0)
    }

    @Test("Widens the bound by what sender reports contradict each other")
    func sloppyReports() {
        var camera = FarCamera(reportError: .milliseconds(4))
        var stamps = stamps(measured)
        _ = run(&camera, &stamps, pictures: 300)
        #expect(run(&camera, &stamps, pictures: 90_000).allSatisfy { $0.error <= $0.bound })
        #expect(stamps.jumps == 0)
    }

    @Test(
        "Begins again when the camera's clock is set, counts that, and covers the truth",
        arguments: [-3600, -1, 1, 86_400])
    func jump(seconds: Int) {
        for correction in [StampCorrection(), measured] {
            var camera = FarCamera()
            var stamps = stamps(correction)
            #expect(run(&camera, &stamps, pictures: 500).allSatisfy { $0.error <= $0.bound })
            camera.setting += .seconds(seconds)
            #expect(run(&camera, &stamps, pictures: 500).allSatisfy { $0.error <= $0.bound })
            #expect(stamps.jumps == 1)
        }
    }

    @Test("Passes the end of RTP's 32 bits, from which on the library is wrong until the next report")
    func wrapped() {
        var camera = FarCamera()
        var stamps = stamps(measured)
        _ = run(&camera, &stamps, pictures: 500)
        camera.setting -= wrap
        _ = run(&camera, &stamps, pictures: 100)
        camera.setting += wrap
        let all = run(&camera, &stamps, pictures: 500)
        #expect(stamps.jumps == 0 && all.allSatisfy { $0.error < .milliseconds(12) })
    }

    @Test("Rises, and ends with every kind of time")
    func hostile() {
        var generator = SeededGenerator(seed: 5)
        var stamps = stamps()
        var last: LocalTime?
        for number in 0..<5000 {
            let arrival = Arrival(instant: LocalTime(nanoseconds: Int64(number) * 1_000_000), delay: .zero)
            let kinds: [Int64] = [.min, .max, 0, Int64(number) * 1000, .random(in: .min ... .max, using: &generator)]
            let (wall, media) = (kinds.randomElement(using: &generator), kinds.randomElement(using: &generator))
            let told = stamps.observe(
                wall.map { .microseconds($0) }, mediaTime: media.map { .microseconds($0) }, arrival: arrival)
            let stamp = stamps.stamp(of: arrival, told)
            #expect(last.map { $0 < stamp.midExposure } ?? true)
            #expect(stamp.bound >= .zero)
            last = stamp.midExposure
        }
    }
}
