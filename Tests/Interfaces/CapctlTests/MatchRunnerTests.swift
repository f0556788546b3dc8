import CameraSettings
import CaptureModel
import CaptureTestSupport
import PosixSupport
import RigDocuments
import Testing

@testable import CapctlCommands

/// A rig whose cameras have one knob, exposure, in proportion to light.
private final class OneKnobRig: MatchingRig {
    struct Camera: Sendable {
        /// Light at an exposure of 100.
        var light = 0.18
        var exposure: Int64 = 100
        var isAutomatic = false
        /// Light under automatic exposure, for each measurement; the last one stays.
        var automaticLight: [Double] = []
        var problem: CaptureProblem?
        var skips: [Int] = []
        /// Whether it is known when values come into the pictures.
        var isPrompt = true
    }

    let cameras: Locked<[DeviceID: Camera]>
    private let clock: ManualTimeSource?
    let most = Locked((now: 0, ever: 0))

    init(_ cameras: [DeviceID: Camera], clock: ManualTimeSource? = nil) {
        self.cameras = Locked(cameras)
        self.clock = clock
    }

    private func with<Value>(_ device: DeviceID, _ body: (inout Camera) throws -> Value) throws -> Value {
        try cameras.withLock { cameras in
            guard var camera = cameras[device] else { throw CaptureProblem(.unknownDevice, "no \(device)") }
            defer { cameras[device] = camera }
            return try body(&camera)
        }
    }

    func knobs(of device: DeviceID) async throws -> MatchKnobs {
        try with(device) { camera in
            MatchKnobs(
                [
                    DeviceControl(
                        name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 1000,
                        value: camera.exposure),
                    DeviceControl(
                        name: "auto_exposure", kind: .menu, maximum: 3, value: camera.isAutomatic ? 3 : 1),
                ], frameInterval: nil)
        }
    }

    func measure(_ device: DeviceID, _ request: MeasureRequest) async throws -> PictureMeasurement {
        most.withLock { $0 = ($0.now + 1, max($0.ever, $0.now + 1)) }
        defer { most.withLock { $0.now -= 1 } }
        clock?.advance(by: .seconds(1))
        await Task.yield()
        return try with(device) { camera in
            camera.skips.append(request.skip)
            var light = camera.light * Double(camera.exposure) / 100
            if camera.isAutomatic, let automatic = camera.automaticLight.first {
                light = automatic
                if camera.automaticLight.count > 1 { camera.automaticLight.removeFirst() }
            }
            let mark = FrameMark(
                sequence: 0, midExposure: BoundedRigTime(time: RigTime(nanoseconds: 0), bound: .zero))
            let colour = ColourMean(red: light, green: light, blue: light)
            return PictureMeasurement(
                frames: request.frames, first: mark, last: mark, linearization: .assumedSRGB, encoded: colour,
                linear: colour)
        }
    }

    func set(_ device: DeviceID, _ entries: [String]) async throws -> AppliedKnobs {
        try with(device) { camera in
            if let problem = camera.problem { throw problem }
            camera.isAutomatic = false
            guard let value = entries.last?.split(separator: ":").last.flatMap({ Int64($0) }) else {
                throw CaptureProblem(.unsupportedSettings, "\(entries)")
            }
            camera.exposure = value
            return AppliedKnobs(values: ["exposureDuration": value], isInPictures: camera.isPrompt)
        }
    }
}

@Suite("Matching and locking cameras")
struct MatchRunnerTests {
    private let grey = ColourMean(red: 0.18, green: 0.18, blue: 0.18)

    private func runner(_ rig: OneKnobRig, clock: ManualTimeSource = ManualTimeSource()) -> MatchRunner {
        MatchRunner(rig: rig, region: .centre, frames: 12, wantsPictures: false, clock: clock)
    }

    @Test func `Each camera ends with its own outcome, a few at a time`() async throws {
        let devices = try (1...40).map { try DeviceID("north/cam\($0)") }
        var cameras = Dictionary(uniqueKeysWithValues: devices.map { ($0, OneKnobRig.Camera(light: 0.1)) })
        cameras[devices[3]]?.problem = CaptureProblem(.notRunning, "it was unplugged")
        cameras[devices[4]] = nil
        let rig = OneKnobRig(cameras)
        let runner = runner(rig)
        let grey = grey
        let matches = await runner.each(devices) { await runner.match($0, to: grey, tolerance: 0.03) }
        #expect(matches.count == 40 && matches.values.count(where: \.isMatched) == 38)
        #expect(
            matches[devices[3]]?.reason == "it was unplugged: notRunning"
                || matches[devices[3]]?.reason?.contains("unplugged") == true)
        #expect(matches[devices[3]]?.word == "notConverged" && matches[devices[4]]?.word == "refused")
        #expect(rig.most.withLock { $0.ever } <= MatchRunner.widthLimit)
        #expect(rig.cameras.withLock { $0[devices[0]]?.exposure } == 180)
    }

    @Test(arguments: [true, false])
    func `Frames pass where it is not known when the pictures have the values`(isPrompt: Bool) async throws {
        let device = try DeviceID("north/cam")
        let rig = OneKnobRig([device: .init(light: 0.1, isPrompt: isPrompt)])
        _ = await runner(rig).match(device, to: grey, tolerance: 0.03)
        #expect(rig.cameras.withLock { $0[device]?.skips } == [0, isPrompt ? 1 : MatchRunner.unknownDelay])
    }

    @Test func `A lock waits until the pictures are steady, and corrects a camera that falls back`() async throws {
        let device = try DeviceID("north/cam")
        let clock = ManualTimeSource()
        let rig = OneKnobRig(
            [device: .init(isAutomatic: true, automaticLight: [0.3, 0.25, 0.22, 0.2, 0.2])], clock: clock)
        let match = await runner(rig, clock: clock).lock(device, tolerance: 0.03, within: .seconds(20))
        #expect(match.word == "locked" && match.isSteady == true && match.steadyAfter == .seconds(5))
        #expect(match.iterations == 2, "manual with the reported value, then corrected")
        #expect(match.before?.linear.green == 0.2)
        #expect(rig.cameras.withLock { $0[device]?.exposure } == 111)
    }

    @Test func `A camera that keeps adjusting is left as it is when the time is over`() async throws {
        let device = try DeviceID("north/cam")
        let clock = ManualTimeSource()
        let lights = (0..<60).map { 0.1 + 0.05 * Double($0 % 2) }
        let rig = OneKnobRig([device: .init(isAutomatic: true, automaticLight: lights)], clock: clock)
        let match = await runner(rig, clock: clock).lock(device, tolerance: 0.03, within: .seconds(10))
        #expect(match.word == "notSteady" && match.isSteady == false && match.settings.isEmpty)
        #expect(match.reason?.contains("still adjusting after 10") == true, "\(match.reason ?? "")")
        #expect(rig.cameras.withLock { $0[device]?.isAutomatic } == true)
    }

    @Test func `Options are checked, and say what they accept`() throws {
        #expect(try MatchOptions.region("0.25,0.5,0.5,0.5") == PictureRegion(x: 0.25, y: 0.5, width: 0.5, height: 0.5))
        for text in ["", "0,0,1", "0,0,0,1", "0.6,0,0.5,1", "nan,0,1,1", "0,0,1,1,1"] {
            #expect(throws: (any Error).self, "\(text)") { try MatchOptions.region(text) }
        }
        #expect(try MatchOptions.tolerance("3%") == 0.03 && MatchOptions.tolerance("0.5") == 0.005)
        for text in ["", "%", "0", "51%", "nan"] {
            #expect(throws: (any Error).self, "\(text)") { try MatchOptions.tolerance(text) }
        }
        #expect(try SettingsMatchCommand.card("grey") == grey)
        #expect(try SettingsMatchCommand.card("0.36,0.21,0.1") == ColourMean(red: 0.36, green: 0.21, blue: 0.1))
        #expect(throws: (any Error).self) { try SettingsMatchCommand.card("red") }
    }

    @Test func `A report has a line for each camera with what remains, and its status`() throws {
        var report = MatchReport(kind: .match, tolerance: 0.03, region: .centre)
        report.cameras = [
            MatchResult(device: try DeviceID("north/cam1"), outcome: .matched),
            MatchResult(device: try DeviceID("north/cam2"), outcome: .notConverged("8.1 % remain after 5 iterations")),
        ]
        #expect(report.status == .partial)
        #expect(report.table.contains("8.1 % remain") && report.table.contains("1 of 2 matched within 3.0 %"))
        let json = try JSONText.document(report.document)
        #expect(json.contains("\"notConverged\"") && json.contains("\"kind\""))
    }
}
