import CaptureModel
import CaptureTestSupport
import Testing

@Suite struct SharedErrorTests {
    private let format = VideoFormat(
        pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .nanoseconds(33_333_333))

    private var measured: StampCorrection {
        var generator = SeededGenerator(seed: 3)
        let measurement = MeasurementID(unixMilliseconds: 0, using: &generator)
        return StampCorrection(
            latencyOffset: .milliseconds(-40), uncertainty: .milliseconds(31), measuredExposure: .milliseconds(8),
            measuredFormat: format.description, sharedError: SharedError(measurement, bound: .milliseconds(30)))
    }

    @Test("A frame shares an error with other cameras in the measured format and exposure, and in no other")
    func frames() {
        let correction = measured
        #expect(correction.isConsistent)
        #expect(correction.sharedError(in: format, exposure: .milliseconds(8)) == correction.sharedError)
        #expect(correction.sharedError(in: format, exposure: .microseconds(8200)) == correction.sharedError)
        let otherExposures: [Duration?] = [.microseconds(8201), .microseconds(7799), .milliseconds(30), .zero, nil]
        for exposure in otherExposures {
            #expect(correction.sharedError(in: format, exposure: exposure) == nil)
        }
        let others = [
            VideoFormat(pixelFormat: .yuyv, width: 1280, height: 720, frameInterval: format.frameInterval),
            VideoFormat(pixelFormat: .mjpeg, width: 640, height: 720, frameInterval: format.frameInterval),
            VideoFormat(pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .milliseconds(40)),
        ]
        #expect(correction.holds(in: format))
        for other in others {
            #expect(!correction.holds(in: other))
            #expect(correction.sharedError(in: other, exposure: .milliseconds(8)) == nil)
        }
        #expect(StampCorrection().holds(in: format))
    }

    @Test("A camera that does not report its exposure never did") func unreported() {
        var correction = measured
        correction.measuredExposure = nil
        #expect(correction.sharedError(in: format, exposure: nil) == correction.sharedError)
        #expect(correction.sharedError(in: format, exposure: .milliseconds(8)) == nil)
    }

    @Test("A correction holds for the stamps of a camera's clock or for its driver's, as it was measured")
    func origins() {
        var correction = measured
        #expect(correction.holds(for: .startOfExposure) && correction.holds(for: .arrival))
        #expect(!correction.holds(for: .cameraClock))
        correction.measuredStamps = .cameraClock
        #expect(correction.holds(for: .cameraClock) && !correction.holds(for: .endOfFrame))
    }

    @Test("What is shared is a part of the uncertainty") func parts() {
        var correction = measured
        for uncertainty in [Duration.microseconds(29_999), .zero, nil] as [Duration?] {
            correction.uncertainty = uncertainty
            #expect(!correction.isConsistent)
            #expect(correction.sharedError(in: format, exposure: .milliseconds(8)) == nil)
        }
        correction.uncertainty = .milliseconds(30)
        #expect(correction.isConsistent)
        correction.sharedError = nil
        correction.uncertainty = nil
        #expect(correction.isConsistent && correction.sharedError(in: format, exposure: .milliseconds(8)) == nil)
    }

    @Test("The error that a measurement leaves to its cameras does not count between their pictures")
    func pictures() throws {
        let shared = try #require(measured.sharedError)
        func capture(_ name: String, _ milliseconds: Int64, _ shared: SharedError?) throws -> Capture {
            let instant = RigTime(nanoseconds: milliseconds * 1_000_000)
            var capture = Capture(device: DeviceDescription(id: try DeviceID(name), driver: "v4l2"))
            capture.timing = FrameTiming(
                sequence: 1, localMidExposure: LocalTime(nanoseconds: 0),
                midExposure: BoundedRigTime(time: instant, bound: .milliseconds(31)), skewNanoseconds: 0,
                dequeued: instant, sharedError: shared)
            return capture
        }
        let together = try #require(
            Simultaneity(of: [try capture("n1/a", 0, shared), try capture("n2/b", 5, shared)]))
        #expect(together.spread == .milliseconds(5) && together.bound == .milliseconds(2))
        let apart = try #require(Simultaneity(of: [try capture("n1/a", 0, shared), try capture("n2/b", 5, nil)]))
        #expect(apart.spread == .milliseconds(5) && apart.bound == .milliseconds(62))
    }
}
