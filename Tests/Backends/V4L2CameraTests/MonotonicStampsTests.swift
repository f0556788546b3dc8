import CameraKit
import CaptureModel
import Testing
import Video4Linux

@testable import V4L2Camera

struct MonotonicStampsTests {
    private let frame = Duration.milliseconds(40)
    private let start = LocalTime(nanoseconds: 100_000_000_000)

    private func stream() -> MonotonicStamps {
        MonotonicStamps(
            StampRule(correction: StampCorrection(uncertainty: .milliseconds(1)), frameInterval: frame), start: start)
    }

    /// A frame stamped at the start of its exposure, `age` before it was dequeued.
    private func stamp(
        _ stamps: inout MonotonicStamps, _ dequeued: LocalTime, age: Duration
    ) -> StampRule.Result {
        let buffer = FilledBuffer(
            index: 0, planes: [], sequence: 0, stampNanoseconds: (dequeued - age).nanoseconds, stampClock: .monotonic,
            stampSource: .startOfExposure)
        return stamps.stamp(buffer, exposure: .milliseconds(10), arrival: Arrival(instant: dequeued, delay: .zero))
    }

    @Test func goodStampsWouldBeReplaced() {
        var stamps = stream()
        for number in 0..<5 {
            let dequeued = start + frame * number
            let result = stamp(&stamps, dequeued, age: .milliseconds(50))
            #expect(result.midExposure == dequeued - .milliseconds(45))
            #expect(result.bound == .milliseconds(6))
        }
    }

    @Test func aDriversStepBackWouldStopTheRing() {
        var stamps = stream()
        let before = stamp(&stamps, start, age: .milliseconds(50))
        for number in 1..<100 {
            let dequeued = start + frame * number
            let result = stamp(&stamps, dequeued, age: .seconds(5))
            #expect(result.midExposure == dequeued)
            #expect(result.bound == .milliseconds(45))
            #expect(result.midExposure > before.midExposure)
        }
    }

    @Test("Frames without a usable stamp are within their bounds after their thread was held up, and then as before")
    func heldUp() {
        var stamps = stream()
        let exposure = Duration.milliseconds(10)
        // Ready 25 ms after its middle. The thread sleeps from frame 10 until frame 15 is there.
        func ready(_ number: Int) -> LocalTime { start + frame * number + .milliseconds(25) }
        var emptied = start
        for number in 0..<40 {
            let isQueued = (10..<15).contains(number)
            let dequeued = isQueued ? ready(15) - .nanoseconds(15 - number) : ready(number)
            let buffer = FilledBuffer(
                index: 0, planes: [], sequence: 0, stampNanoseconds: nil, stampClock: .unknown, stampSource: .unknown)
            let result = stamps.stamp(
                buffer, exposure: exposure, arrival: Arrival(instant: dequeued, delay: dequeued - emptied))
            #expect((result.midExposure - (start + frame * number)).magnitude <= result.bound, "frame \(number)")
            if number > 20 { #expect(result.bound == frame + exposure / 2) }
            if !isQueued { emptied = dequeued }
        }
    }

    @Test func oneBadStampWouldSpoilTheFramesAfterIt() {
        var stamps = stream()
        _ = stamp(&stamps, start, age: .milliseconds(50))
        _ = stamp(&stamps, start + frame, age: .milliseconds(200))
        let result = stamp(&stamps, start + frame * 3, age: .milliseconds(50))
        #expect(result.midExposure == start + frame * 3 - .milliseconds(45))
        #expect(result.bound == .milliseconds(6))
    }

    @Test func aStampOfTheFutureWouldTakeThePlaceOfTheNextFrame() {
        var stamps = stream()
        let early = stamp(&stamps, start, age: .milliseconds(-39))
        let result = stamp(&stamps, start + .milliseconds(20), age: .milliseconds(15))
        #expect(result.midExposure == early.midExposure + .nanoseconds(1))
        // Its true instant may be as far away as the frame's receipt tells.
        #expect(result.bound == .milliseconds(45) + (result.midExposure - (start + .milliseconds(20))))
    }
}

@Suite("Stamps of a camera's clock beside those of its driver") struct CameraClockStampsTests {
    private let frame = Duration.milliseconds(40)
    private let start = LocalTime(nanoseconds: 100_000_000_000)
    private let exposure = Duration.milliseconds(10)
    private let doubt = Duration.microseconds(200)
    /// Of the driver's stamps.
    private let known = StampCorrection(latencyOffset: .milliseconds(-25), uncertainty: .milliseconds(1))
    /// Of the clock's.
    private var knownOfClock: StampCorrection {
        StampCorrection(latencyOffset: .milliseconds(-2), uncertainty: .milliseconds(3), measuredStamps: .cameraClock)
    }

    private func driverStamp(_ stamp: LocalTime) -> FilledBuffer {
        FilledBuffer(
            index: 0, planes: [], sequence: 0, stampNanoseconds: stamp.nanoseconds, stampClock: .monotonic,
            stampSource: .startOfExposure)
    }

    private func rule(_ correction: StampCorrection) -> StampRule {
        StampRule(correction: correction, frameInterval: frame)
    }

    @Test("The clock makes no bound smaller until its latency was measured") func unmeasured() {
        for correction in [StampCorrection(), known] {
            let result = rule(correction)
                .apply(UVCClock.Reading(instant: start, doubt: doubt), exposure: exposure, limit: frame)
            #expect(result.midExposure == start + .milliseconds(5))
            #expect(result.bound == .milliseconds(45) + doubt && !result.isCorrected)
        }
    }

    @Test(
        "Unmeasured, the bound has all instants of the driver's rule, from the arrival back to a limit before it",
        arguments: [(0, 40), (25, 40), (40, 40), (70, 70), (-2, 42)] as [(Int64, Int64)])
    func driversInstants(lag: Int64, farthest: Int64) {
        let reading = UVCClock.Reading(instant: start, doubt: doubt, lag: .milliseconds(lag))
        let result = rule(StampCorrection()).apply(reading, exposure: .zero, limit: frame)
        #expect(result.bound == .milliseconds(farthest) + doubt)
        let arrival = start + .milliseconds(lag)
        for instant in [arrival, arrival - frame] {
            #expect((instant - result.midExposure).magnitude <= result.bound)
        }
        let measured = rule(knownOfClock).apply(reading, exposure: .zero, limit: frame)
        #expect(measured.bound == .milliseconds(3) + UVCClockLine.samePlaceDoubt + doubt)
    }

    @Test("What was measured in one stream holds in the next, whose readings lie at another place of the USB frame")
    func nextStream() throws {
        func readings(phase: Int64) -> [(reading: UVCClock.Reading, captured: LocalTime)] {
            var camera = SimulatedUVCCamera()
            (camera.interval, camera.phase) = (40_000_000, phase)
            var clock = UVCClock(frameInterval: frame)
            var found: [(reading: UVCClock.Reading, captured: LocalTime)] = []
            for number in 0..<300 {
                let frame = camera.frame(number)
                guard let reading = clock.read(frame.headers, dequeued: frame.dequeued) else { continue }
                found.append((reading, frame.captured))
            }
            return found
        }
        // As a screen without lag tells it: the middle of the frames, and how far they are from it.
        let offsets = readings(phase: 20_000).map { $0.captured - $0.reading.instant }.sorted()
        let (least, most) = (try #require(offsets.first), try #require(offsets.last))
        let measured = StampCorrection(
            latencyOffset: (least + most) / 2, uncertainty: (most - least) / 2 + .nanoseconds(1),
            measuredStamps: .cameraClock)
        let next = readings(phase: 980_000)
        #expect(next.count > 200)
        for (reading, captured) in next {
            let stamp = rule(measured).apply(reading, exposure: .zero, limit: frame)
            let error = (stamp.midExposure - captured).magnitude
            #expect(error <= stamp.bound)
        }
    }

    @Test("A correction of the clock is applied to its stamps only, and one of the driver's to these only")
    func correctionOfEach() {
        let byClock = rule(knownOfClock)
            .apply(UVCClock.Reading(instant: start, doubt: doubt), exposure: exposure, limit: frame)
        #expect(byClock.midExposure == start + .milliseconds(3))
        #expect(byClock.bound == .milliseconds(8) + UVCClockLine.samePlaceDoubt + doubt && byClock.isCorrected)
        let arrival = Arrival(instant: start + .milliseconds(50), delay: .zero)
        let byDriver = rule(knownOfClock)
            .apply(to: driverStamp(start), exposure: exposure, limit: frame, arrival: arrival)
        let unmeasured = rule(StampCorrection())
            .apply(to: driverStamp(start), exposure: exposure, limit: frame, arrival: arrival)
        #expect(byDriver == unmeasured && !byDriver.isCorrected)
        let received = rule(knownOfClock)
            .receipt(exposure: exposure, limit: frame, arrival: arrival)
        #expect(received.midExposure == arrival.instant && !received.isCorrected)
        let measured = rule(known)
            .apply(to: driverStamp(start), exposure: exposure, limit: frame, arrival: arrival)
        #expect(measured.midExposure == start - .milliseconds(20) && measured.isCorrected)
    }

    @Test("What is reported of the correction is what the newest stamp has") func reported() {
        #expect(known.part(for: .startOfExposure) == known && known.part(for: .arrival) == known)
        #expect(known.part(for: .cameraClock) == StampCorrection(measuredStamps: .cameraClock))
        #expect(knownOfClock.part(for: .cameraClock) == knownOfClock)
        #expect(knownOfClock.part(for: .endOfFrame) == StampCorrection())
    }

    @Test("The change from the driver's stamps to the earlier ones of the clock keeps the order, within the bounds")
    func change() {
        let (interval, latency) = (Duration.milliseconds(16), Duration.milliseconds(45))
        var stamps = MonotonicStamps(
            StampRule(correction: StampCorrection(), frameInterval: interval), start: start)
        var last: LocalTime?
        for number in 0..<40 {
            let captured = start + interval * number
            let dequeued = captured + latency + .milliseconds(10)
            let result = stamps.stamp(
                driverStamp(captured + latency), exposure: .zero, arrival: Arrival(instant: dequeued, delay: .zero),
                reading: number < 20 ? nil : UVCClock.Reading(instant: captured, doubt: doubt))
            if let last { #expect(result.midExposure > last) }
            last = result.midExposure
            if number >= 20 { #expect((result.midExposure - captured).magnitude <= result.bound) }
            // The clock's stamps have caught up with the last one of the driver.
            if number >= 23 { #expect(result.midExposure == captured) }
        }
    }
}

struct DriverFormatTests {
    @Test(arguments: PixelFormat.allCases) func aFormatOfTheConfigurationWouldBeUnknownToTheDriver(
        _ format: PixelFormat
    ) {
        let source = DriverFormat(FourCC(format.rawValue))
        #expect(source?.pixelFormat == format)
        #expect(source?.convertedFrom == nil)
        #expect(source?.structure == format.family.structure)
    }

    @Test(arguments: [("NM12", PixelFormat.nv12), ("NM21", .nv21), ("YM12", .yu12), ("JPEG", .mjpeg)])
    func theSameFormatUnderAnotherNameWouldBeConverted(_ name: String, _ format: PixelFormat) {
        #expect(DriverFormat(FourCC(name))?.pixelFormat == format)
        #expect(DriverFormat(FourCC(name))?.convertedFrom == nil)
    }

    /// libv4lconvert decodes these without regard to how many bytes there are.
    @Test(arguments: ["S561", "S910", "P207", "SONX", "PJPG", "OV51", "JPGL", "H264", "HSV3"])
    func aDecoderThatACameraCouldCrashWouldBeUsed(_ name: String) {
        #expect(DriverFormat(FourCC(name)) == nil)
    }

    @Test func grayWouldLoseItsEndsAndVideoItsContrast() throws {
        func range(_ name: String, _ told: PixelLayout.Range = .formatsDefault) throws -> SampleRange {
            try #require(DriverFormat(FourCC(name))).range(told)
        }
        #expect(try range("YUYV") == .limited)
        #expect(try range("YUYV", .full) == .full)
        #expect(try range("YV12") == .limited)
        #expect(try range("GREY") == .full)
        #expect(try range("GREY", .limited) == .limited)
        #expect(try range("Y16") == .full)
        #expect(try range("RGB3", .limited) == .full)
    }

    @Test func theRangeThatADriverTellsWouldBeMisread() {
        #expect(PixelLayout.Range(quantization: 1, colorspace: 8) == .full)
        #expect(PixelLayout.Range(quantization: 2, colorspace: 7) == .limited)
        #expect(PixelLayout.Range(quantization: 0, colorspace: 7) == .full)
        #expect(PixelLayout.Range(quantization: 0, colorspace: 8) == .formatsDefault)
    }
}

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

struct SequenceWidenerTests {
    @Test func aCounterThatWrapsWouldEndTheCountOfFrames() {
        var widener = SequenceWidener()
        let steps = [UInt32.max - 1, .max, 0, 1].map { widener.step(to: $0) }
        let first = UInt64(UInt32.max) - 1
        #expect(steps.map(\.sequence) == [first, first + 1, first + 2, first + 3])
        #expect(steps.allSatisfy { $0.skipped == 0 })
    }

    @Test func framesLostInTheDriverWouldNotBeCounted() {
        var widener = SequenceWidener()
        let steps = [UInt32(7), 8, 11, 12].map { widener.step(to: $0) }
        #expect(steps.map(\.skipped) == [0, 0, 2, 0])
        #expect(steps.map(\.sequence) == [7, 8, 11, 12])
    }

    @Test func framesLostAcrossTheWrapWouldNotBeCounted() {
        var widener = SequenceWidener()
        _ = widener.step(to: .max)
        #expect(widener.step(to: 3) == .init(sequence: UInt64(UInt32.max) + 4, skipped: 3))
    }

    @Test(arguments: [UInt32(0), 99, 100]) func aRestartedCounterWouldCountBillionsOfLostFrames(_ restart: UInt32) {
        var widener = SequenceWidener()
        _ = widener.step(to: 100)
        #expect(widener.step(to: restart) == .init(sequence: 101, skipped: 0))
        #expect(widener.step(to: restart &+ 1) == .init(sequence: 102, skipped: 0))
    }
}
