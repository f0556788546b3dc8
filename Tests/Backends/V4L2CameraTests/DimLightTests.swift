import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

@Suite("V4L2 camera: frames that are longer than the stated interval")
struct DimLightTests {
    @Test(
        "The true instant of every frame is within its bound, also while the rate falls and rises",
        arguments: ModelSensor.Stamps.allCases, ModelSensor.Light.allCases)
    func bound(stamps: ModelSensor.Stamps, light: ModelSensor.Light) throws {
        for correction in [StampCorrection(), stamps.correction] {
            for frame in ModelSensor(stamps: stamps, light: light).frames(correction) {
                #expect(
                    (frame.claimed.midExposure - frame.truth).magnitude <= frame.claimed.bound,
                    "frame \(frame.number), \(correction): \(frame.claimed.bound)")
            }
        }
    }

    @Test("The bound of a camera that reaches its rate is half a frame, from its second frame on")
    func bright() {
        for frame in ModelSensor(stamps: .firstPayload, light: .bright).frames(
            ModelSensor.Stamps.firstPayload.correction
        )
        .dropFirst() {
            #expect(frame.claimed.bound == ModelSensor.stated / 2 + .milliseconds(1), "frame \(frame.number)")
        }
    }

    @Test("A lost frame widens no bound if the driver counts it, and else that of the next frame only")
    func lostFrame() {
        let usual = ModelSensor.stated / 2 + .milliseconds(1)
        for isCounted in [true, false] {
            var sensor = ModelSensor(stamps: .firstPayload, light: .bright)
            (sensor.lost, sensor.countsLost) = (20, isCounted)
            let frames = sensor.frames(ModelSensor.Stamps.firstPayload.correction).dropFirst()
            let wide = frames.filter { $0.claimed.bound > usual }
            #expect(wide.map(\.number) == (isCounted ? [] : [21]))
        }
    }

    @Test("A known exposure that is longer than the stated interval widens the bound of an unmeasured camera")
    func longManualExposure() {
        var sensor = ModelSensor(stamps: .firstPayload, light: .steady(0.1))
        sensor.reportsExposure = true
        for frame in sensor.frames(StampCorrection()) {
            #expect((frame.claimed.midExposure - frame.truth).magnitude <= frame.claimed.bound, "\(frame)")
        }
    }

    @Test("Stamps that come in pairs make no limit shorter than a frame")
    func pairs() {
        var limit = ExposureLimit(stated: .milliseconds(33), start: LocalTime(nanoseconds: 0))
        for frame in 1..<20 {
            let end = LocalTime(nanoseconds: 0) + .milliseconds(133) * frame
            let stamp = frame % 2 == 0 ? end : end + .milliseconds(132)
            let length = limit.next(stamp: stamp, isStartOfExposure: false, skipped: 0, dequeued: stamp)
            if frame > 5 { #expect(length >= .milliseconds(133), "frame \(frame)") }
        }
    }
}

/// A free-running sensor and its driver. It exposes each frame for the whole interval, and states 30 frames per second.
struct ModelSensor {
    static let stated = Duration.nanoseconds(33_333_333)

    /// What the driver stamps, as the flags say or not.
    enum Stamps: CaseIterable {
        /// As uvcvideo: flagged as the start of exposure, and made after its end.
        case firstPayload
        /// As uvcvideo with hwtimestamps=1.
        case startOfExposure
        case endOfFrame
        case unusable

        /// What a person measures of the camera in bright light.
        var correction: StampCorrection {
            switch self {
            case .firstPayload:
                StampCorrection(latencyOffset: .zero - ModelSensor.payload, uncertainty: .milliseconds(1))
            case .startOfExposure: StampCorrection(uncertainty: .milliseconds(1))
            case .endOfFrame: StampCorrection(readout: ModelSensor.readout, uncertainty: .milliseconds(1))
            case .unusable: StampCorrection()
            }
        }
    }

    /// The time from frame to frame, in seconds.
    enum Light: CaseIterable {
        case bright, tenFrames, sevenAndAHalf, five, falling, suddenlyDark
        case steady(Double)

        static let allCases: [Light] = [.bright, .tenFrames, .sevenAndAHalf, .five, .falling, .suddenlyDark]

        func interval(_ frame: Int) -> Duration {
            switch self {
            case .bright: ModelSensor.stated
            case .tenFrames: .milliseconds(100)
            case .sevenAndAHalf: .nanoseconds(133_333_333)
            case .five: .milliseconds(200)
            case .falling: ModelSensor.stated + .milliseconds(4) * min(frame, 80 - frame)
            case .suddenlyDark: (20..<40).contains(frame) ? .milliseconds(200) : ModelSensor.stated
            case .steady(let seconds): .nanoseconds(Int64(seconds * 1e9))
            }
        }
    }

    struct Frame {
        var number: Int
        /// Its true mid-exposure.
        var truth: LocalTime
        var claimed: StampRule.Result
    }

    var stamps: Stamps
    var light: Light
    var reportsExposure = false
    /// The frame that the driver loses, and whether it counts it.
    var lost: Int?
    var countsLost = true

    /// From the end of exposure to the stamp of the first payload, to the stamp of the last pixel, and to the program.
    fileprivate static let payload = Duration.milliseconds(5)
    fileprivate static let readout = Duration.milliseconds(20)
    private static let delivery = Duration.milliseconds(25)

    init(stamps: Stamps, light: Light) {
        (self.stamps, self.light) = (stamps, light)
    }

    func frames(_ correction: StampCorrection) -> [Frame] {
        var end = LocalTime(nanoseconds: 50_000_000_000)
        var stamping = MonotonicStamps(StampRule(correction: correction, frameInterval: Self.stated), start: end)
        var frames: [Frame] = []
        for number in 0..<80 {
            let exposure = light.interval(number)
            end = end + exposure
            guard number != lost else { continue }
            let isAfterLoss = lost.map { $0 + 1 == number } ?? false
            let claimed = stamping.stamp(
                buffer(end, exposure), skipped: isAfterLoss && countsLost ? 1 : 0,
                exposure: reportsExposure ? exposure : nil, arrival: Arrival(instant: end + Self.delivery, delay: .zero)
            )
            frames.append(Frame(number: number, truth: end - exposure / 2, claimed: claimed))
        }
        return frames
    }

    private func buffer(_ end: LocalTime, _ exposure: Duration) -> FilledBuffer {
        let stamp =
            switch stamps {
            case .firstPayload: end + Self.payload
            case .startOfExposure, .unusable: end - exposure
            case .endOfFrame: end + Self.readout
            }
        return FilledBuffer(
            index: 0, planes: [], sequence: 0, stampNanoseconds: stamp.nanoseconds,
            stampClock: stamps == .unusable ? .unknown : .monotonic,
            stampSource: stamps == .endOfFrame ? .endOfFrame : .startOfExposure)
    }
}
