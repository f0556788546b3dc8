import ArgumentParser
import CaptureModel
import Foundation
import Testing

@testable import CapctlCommands
@testable import ScreenTiming

@Suite struct ScreenCalibrationTests {
    private func camera(
        _ name: String, off: Double, bound: Duration, stamps: StampCorrection? = StampCorrection(),
        format: VideoFormat? = nil
    ) throws -> ScreenCalibration {
        let timing = ScreenTiming(
            correction: .microseconds(Int64(off * 1000)), fit: .microseconds(100), jitter: .microseconds(300),
            clock: .microseconds(40), blur: .milliseconds(8), rows: .milliseconds(12), rowsError: .milliseconds(1),
            pictures: 900, switches: 100, area: 0.5)
        let device = DeviceDescription(id: try DeviceID("node1/\(name)"), driver: "v4l2")
        let details = DeviceDetails(
            device: device,
            condition: DeviceCondition(
                state: .running, format: format,
                stamps: CameraStamps(stamps == nil ? .simulated : .startOfExposure, correction: stamps)),
            authorization: .authorized, capabilities: DeviceCapabilities())
        return ScreenCalibration(
            device: device.id, details: details, timing: timing, stampBound: bound, exposure: .milliseconds(8))
    }

    @Test("Adds to the offset that is configured, and the uncertainty has half the screen's lag")
    func lines() throws {
        let known = StampCorrection(latencyOffset: .milliseconds(-10), readout: .zero, uncertainty: .milliseconds(5))
        let cameras = [
            try camera("cam1", off: -60, bound: .milliseconds(33)),
            try camera("cam2", off: -40.5, bound: .milliseconds(5), stamps: known),
            try camera("cam3", off: -20, bound: .zero, stamps: nil),
        ]
        let lag = try #require(ScreenLag(least: .milliseconds(10), most: .milliseconds(14)))
        let text = ScreenCalibrationReport(cameras: cameras, lag: lag, day: CalendarDay("2026-11-30"))
            .table(TextLayout(width: 100))
        #expect(
            text.hasSuffix(
                """

                In /etc/caprig/agent.yaml of node 'node1'; `systemctl restart capagentd` takes it over:

                  - name: cam1
                    latencyOffset: -48000 us
                    uncertainty: 2440 us
                    measuredExposure: 8000 us
                    measuredOn: 2026-11-30
                  - name: cam2
                    latencyOffset: -38500 us
                    uncertainty: 2440 us
                    measuredExposure: 8000 us
                    measuredOn: 2026-11-30

                """), "\(text)")
        #expect(text.contains("node1/cam3 has stamps that need no correction."))
        #expect(
            text.split(separator: "\n").contains {
                $0.hasPrefix("node1/cam1") && $0.contains("48.00 ms  ± 2.44 ms")
            })
    }

    @Test("Cameras of one run share what is not known of the lag, and nothing if it is known")
    func shared() throws {
        let format = VideoFormat(
            pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .nanoseconds(33_333_333))
        let cameras = [
            try camera("cam1", off: -60, bound: .milliseconds(33), format: format),
            try camera("cam2", off: -40, bound: .milliseconds(33), format: format),
        ]
        let measurement = try #require(MeasurementID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"))
        let unknown = ScreenCalibrationReport(cameras: cameras, lag: .unknown, measurement: measurement)
        #expect(unknown.corrections.map(\.correction.latencyOffset) == [.milliseconds(-30), .milliseconds(-10)])
        for (_, correction) in unknown.corrections {
            #expect(correction.sharedError == SharedError(measurement, bound: .milliseconds(30)))
            #expect(correction.uncertainty == .microseconds(30_440) && correction.isConsistent)
            #expect(correction.sharedError(in: format, exposure: .milliseconds(8)) == correction.sharedError)
        }
        #expect(
            unknown.table(TextLayout(width: 100)).contains(
                """
                    uncertainty: 30440 us
                    measuredExposure: 8000 us
                    measuredFormat: MJPG 640x360 30 fps
                    measurement: 019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f
                    sharedUncertainty: 30000 us

                """))
        let diode = ScreenCalibrationReport(cameras: cameras, lag: .none, measurement: measurement)
        #expect(diode.corrections.allSatisfy { $0.correction.sharedError == nil })
        #expect(diode.corrections.allSatisfy { $0.correction.uncertainty == .microseconds(440) })
    }

    @Test("A correction of a camera's clock names it in the configuration") func linesOfTheClock() throws {
        var camera = try camera("cam1", off: -3, bound: .milliseconds(33))
        camera.details?.condition.stamps = CameraStamps(
            .cameraClock, correction: StampCorrection(measuredStamps: .cameraClock))
        let report = ScreenCalibrationReport(cameras: [camera], lag: .unknown, day: nil)
        #expect(report.corrections.first?.correction.measuredStamps == .cameraClock)
        #expect(report.table(TextLayout(width: 100)).contains("    measuredStamps: cameraClock\n"))
    }

    @Test("A camera whose stamps became others during the measurement is not measured") func changedStamps() throws {
        let (driver, clock) = (CameraStamps(.startOfExposure), CameraStamps(.cameraClock))
        for (before, after) in [(driver, clock), (clock, driver), (CameraStamps(.driver), clock)] {
            var camera = try camera("cam1", off: -3, bound: .milliseconds(33))
            camera.details?.condition.stamps = after
            camera.refuseIfStampsChanged(since: before)
            #expect(camera.timing == nil && camera.problem?.contains("measure again") == true)
        }
        let unchanged: [(CameraStamps?, CameraStamps)] = [
            (driver, driver), (clock, clock), (CameraStamps(.driver), driver), (nil, clock),
        ]
        for (before, after) in unchanged {
            var camera = try camera("cam1", off: -3, bound: .milliseconds(33))
            camera.details?.condition.stamps = after
            camera.refuseIfStampsChanged(since: before)
            #expect(camera.timing != nil && camera.problem == nil)
        }
    }

    @Test("A camera that no lag of the screen agrees with has drifted; of two that disagree, it may be either")
    func drift() throws {
        func drifted(_ offs: [Double], bound: Duration = .milliseconds(1)) throws -> Set<String> {
            let cameras = try offs.enumerated().map { try camera("cam\($0.offset)", off: $0.element, bound: bound) }
            return Set(ScreenVerificationReport(cameras: cameras, lag: .unknown).drifted.map(\.device.rawValue))
        }
        #expect(try drifted([-20, -21, -20.5]) == [])
        #expect(try drifted([-20, -21, -35]) == ["cam2"])
        #expect(try drifted([-20, -35]) == ["cam0", "cam1"])
        #expect(try drifted([-20, -35], bound: .milliseconds(10)) == [])
        // Its light would come before the switch, or too late.
        #expect(try drifted([5]) == ["cam0"])
        #expect(try drifted([-70]) == ["cam0"])
        #expect(try drifted([-30]) == [])
    }

    @Test("Cameras that were measured at once have drifted if they differ by more than their own errors")
    func relativeDrift() throws {
        let format = VideoFormat(
            pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .nanoseconds(33_333_333))
        let measurement = try #require(MeasurementID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"))
        let stamps = StampCorrection(
            latencyOffset: .milliseconds(-40), uncertainty: .milliseconds(31), measuredExposure: .milliseconds(8),
            measuredFormat: format.description, sharedError: SharedError(measurement, bound: .milliseconds(30)))
        func drifted(_ offs: [Double], _ stamps: StampCorrection) throws -> Set<String> {
            let cameras = try offs.enumerated().map {
                try camera(
                    "cam\($0.offset)", off: $0.element, bound: .milliseconds(31), stamps: stamps, format: format)
            }
            return Set(ScreenVerificationReport(cameras: cameras, lag: .unknown).drifted.map(\.device.rawValue))
        }
        #expect(try drifted([-20, -21, -20.5], stamps) == [])
        #expect(try drifted([-20, -21, -35], stamps) == ["cam2"])
        // What they share may make the light seem to come too soon or too late.
        #expect(try drifted([25, 24, 24.5], stamps) == [])
        #expect(try drifted([-85, -84, -84.5], stamps) == [])
        // In another format, nothing is known to be shared.
        var other = stamps
        other.measuredFormat = "MJPG 640x360 25 fps"
        #expect(try drifted([-20, -21, -35], other) == [])
    }

    @Test(
        "Reads a lag with its error",
        arguments: [
            ("12±2ms", 10, 14), ("12ms+-2ms", 10, 14), ("0.5±1ms", 0, 1.5), ("16ms", 16, 16), ("3±0.5ms", 2.5, 3.5),
        ])
    func lag(text: String, least: Double, most: Double) throws {
        let lag = try ScreenOptions.lag(text)
        #expect(abs(lag.least.seconds * 1000 - least) < 1e-9 && abs(lag.most.seconds * 1000 - most) < 1e-9)
    }

    @Test("Refuses other texts", arguments: ["", "12", "±2ms", "2±3±4ms", "-3±1ms", "3±-1ms", "2s±1ms", "x±yms"])
    func noLag(text: String) {
        #expect(throws: ValidationError.self) { try ScreenOptions.lag(text) }
    }

    @Test("The rows of a screen of which nothing is said are lit within a frame of 60 Hz, those of a diode at once")
    func scan() throws {
        #expect(try ScreenOptions.parse([]).scan == .milliseconds(17))
        #expect(try ScreenOptions.parse(["--led"]).scan == .zero)
        #expect(try ScreenOptions.parse(["--screen-scan", "0ms"]).scan == .zero)
        #expect(try ScreenOptions.parse(["--screen-scan", "6.9ms"]).scan == .microseconds(6900))
        for wrong in [["--screen-scan", "51ms"], ["--screen-scan", "-1ms"], ["--led", "--screen-scan", "4ms"]] {
            #expect(throws: (any Error).self) { try ScreenOptions.parse(wrong) }
        }
    }

    @Test("Uses the pictures of which the file of the page tells what the screen showed, and refuses other files")
    func times() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }
        func entry(_ seconds: Int, _ white: Bool) -> String {
            "{\"rigNanoseconds\": \"\(seconds)000000000\", \"white\": \(white)}"
        }
        let entries = (1...20).map { entry($0, $0.isMultiple(of: 2)) }.joined(separator: ",")
        try write("{\"rigClock\": \"c\", \"boundNanoseconds\": \"1500000\", \"switches\": [\(entries)]}")
        let times = try ScreenTimes(file: path)
        #expect(times.switches.count == 20 && times.bound == .microseconds(1500) && times.clock?.rawValue == "c")
        let pictures = (0..<30).compactMap { second in
            ScreenPicture(
                midExposure: RigTime(nanoseconds: Int64(second) * 1_000_000_000), clockBound: .zero, exposure: nil,
                cells: [UInt8](repeating: 0, count: ScreenPicture.rows * ScreenPicture.columns))
        }
        #expect(times.covered(pictures).map(\.midExposure.nanoseconds) == (3...19).map { $0 * 1_000_000_000 })
        let wrong = [
            "", "{}", "{\"rigClock\": \"c\", \"boundNanoseconds\": \"-1\", \"switches\": []}",
            "{\"rigClock\": \"c\", \"boundNanoseconds\": \"1\", \"switches\": [\(entry(2, true)), \(entry(1, false))]}",
            "{\"rigClock\": \"c\", \"boundNanoseconds\": \"1\", \"switches\": [\(entry(1, true)), \(entry(2, true))]}",
        ]
        for text in wrong {
            try write(text)
            #expect(throws: CommandFailure.self) { try ScreenTimes(file: path) }
        }
    }
}
