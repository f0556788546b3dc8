import CameraSettings
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing

@testable import RigMatching

/// A rig whose cameras have one knob, exposure, in proportion to light.
private final class OneKnobRig: MatchingRig {
    struct Camera: Sendable {
        /// Light at an exposure of 100.
        var light = 0.18
        var exposure: Int64 = 100
        var isAutomatic = false
        /// Light under automatic exposure, for each measurement; the last one stays.
        var automaticLight: [Double] = []
        var problem: RigProblem?
        var skips: [Int] = []
        /// Whether it is known when values come into the pictures.
        var isPrompt = true
    }

    let cameras: Locked<[DeviceID: Camera]>
    private let clock: ManualTimeSource?
    let most = Locked((now: 0, ever: 0))
    /// Called before a camera is set.
    let onSet = Locked<(@Sendable () -> Void)?>(nil)
    let sets = Locked<[DeviceID]>([])

    init(_ cameras: [DeviceID: Camera], clock: ManualTimeSource? = nil) {
        self.cameras = Locked(cameras)
        self.clock = clock
    }

    private func with<Value>(_ device: DeviceID, _ body: (inout Camera) throws -> Value) throws -> Value {
        try cameras.withLock { cameras in
            guard var camera = cameras[device] else { throw RigProblem(.unknownDevice, "no \(device)") }
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
            let color = ColorMean(red: light, green: light, blue: light)
            return PictureMeasurement(
                frames: request.frames, first: mark, last: mark, linearization: .assumedSRGB, encoded: color,
                linear: color)
        }
    }

    func set(_ device: DeviceID, _ entries: [String]) async throws -> AppliedKnobs {
        onSet.withLock(\.self)?()
        sets.withLock { $0.append(device) }
        return try with(device) { camera in
            if let problem = camera.problem { throw problem }
            camera.isAutomatic = false
            guard let value = entries.last?.split(separator: ":").last.flatMap({ Int64($0) }) else {
                throw RigProblem(.unsupportedSettings, "\(entries)")
            }
            camera.exposure = value
            return AppliedKnobs(values: ["exposureDuration": value], isInPictures: camera.isPrompt)
        }
    }
}

@Suite("Matching and locking cameras")
struct MatchRunnerTests {
    private let gray = ColorMean(red: 0.18, green: 0.18, blue: 0.18)

    private func runner(
        _ rig: OneKnobRig, _ goal: MatchRequest.Goal? = nil, width: Int = MatchRunner.widthLimit,
        clock: ManualTimeSource = ManualTimeSource()
    ) -> MatchRunner {
        MatchRunner(MatchRequest(goal ?? .card(gray), frames: 12), on: rig, width: width, clock: clock)
    }

    @Test func `Each camera ends with its own outcome, a few at a time`() async throws {
        let devices = try (1...40).map { try DeviceID("north/cam\($0)") }
        var cameras = Dictionary(uniqueKeysWithValues: devices.map { ($0, OneKnobRig.Camera(light: 0.1)) })
        cameras[devices[3]]?.problem = RigProblem(.notRunning, "it was unplugged")
        cameras[devices[4]] = nil
        let rig = OneKnobRig(cameras)
        let reports = Locked<[MatchReport]>([])
        let report = await runner(rig).run(devices) { report in reports.withLock { $0.append(report) } }
        let matches = Dictionary(uniqueKeysWithValues: report.cameras.map { ($0.device, $0) })
        #expect(report.cameras.map(\.device) == devices && report.matchedCount == 38)
        let told = reports.withLock(\.self)
        #expect(told.first?.cameras.allSatisfy { $0.word == "underWay" } == true)
        #expect(told.last?.cameras.allSatisfy { $0.outcome != nil } == true, "every outcome is told")
        #expect(told.contains { $0.cameras[0].iterations == 1 && $0.cameras[0].outcome == nil }, "and each step")
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
        _ = await runner(rig).run([device])
        #expect(rig.cameras.withLock { $0[device]?.skips } == [0, isPrompt ? 1 : MatchRunner.unknownDelay])
    }

    @Test func `A lock waits until the pictures are steady, and corrects a camera that falls back`() async throws {
        let device = try DeviceID("north/cam")
        let clock = ManualTimeSource()
        let rig = OneKnobRig(
            [device: .init(isAutomatic: true, automaticLight: [0.3, 0.25, 0.22, 0.2, 0.2])], clock: clock)
        let runner = runner(rig, .locked(within: .seconds(20)), clock: clock)
        let match = try #require(await runner.run([device]).cameras.first)
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
        let runner = runner(rig, .locked(within: .seconds(10)), clock: clock)
        let match = try #require(await runner.run([device]).cameras.first)
        #expect(match.word == "notSteady" && match.isSteady == false && match.settings.isEmpty)
        #expect(match.reason?.contains("still adjusting after 10") == true, "\(match.reason ?? "")")
        #expect(rig.cameras.withLock { $0[device]?.isAutomatic } == true)
    }

    @Test func `Cameras look as the reference does, and it is measured again at the end`() async throws {
        let (reference, other) = (try DeviceID("north/cam1"), try DeviceID("north/cam2"))
        let rig = OneKnobRig([reference: .init(light: 0.3), other: .init(light: 0.1)])
        let report = await runner(rig, .reference(reference, card: nil)).run([reference, other])
        #expect(report.cameras.map(\.device) == [other] && report.matchedCount == 1)
        #expect(report.reference?.word == "locked" && report.referenceProblem == nil && report.lightChange == 0)
        #expect(report.target?.green == 0.3 && rig.cameras.withLock { $0[other]?.exposure } == 300)
        let sets = rig.sets.withLock(\.self)
        #expect(sets == [other], "the reference is not automatic, and so stays as it is")
    }

    @Test func `A reference that cannot be one leaves all cameras as they are, each with the reason`() async throws {
        let (reference, other) = (try DeviceID("north/cam1"), try DeviceID("north/cam2"))
        let rig = OneKnobRig([reference: .init(light: 0.0001), other: .init(light: 0.1)])
        let report = await runner(rig, .reference(reference, card: nil)).run([reference, other])
        let problem = try #require(report.referenceProblem)
        #expect(problem.hasPrefix("north/cam1 cannot be the reference: the target is too dark"))
        #expect(report.cameras.map(\.word) == ["refused"])
        #expect(report.cameras.first?.reason == "\(problem); nothing was set" && rig.sets.withLock(\.isEmpty))
    }

    @Test func `A run that is cancelled sets nothing more, and every camera has an outcome`() async throws {
        let devices = try (1...3).map { try DeviceID("north/cam\($0)") }
        let rig = OneKnobRig(Dictionary(uniqueKeysWithValues: devices.map { ($0, .init(light: 0.05)) }))
        let runner = runner(rig, width: 1)
        let run = Locked<Task<MatchReport, Never>?>(nil)
        rig.onSet.withLock { $0 = { run.withLock { $0?.cancel() } } }
        // The lock is held until the task is known.
        let task = run.withLock { run in
            let task = Task { await runner.run(devices) }
            run = task
            return task
        }
        let report = await task.value
        #expect(report.cameras.map(\.word) == ["notConverged", "refused", "refused"])
        #expect(
            report.cameras.map(\.reason) == [
                "it was cancelled; the camera keeps the values that were set last", "it was cancelled; nothing was set",
                "it was cancelled; nothing was set",
            ])
        #expect(report.cameras[0].settings == ["exposureDuration=raw:360"])
        #expect(rig.sets.withLock(\.self) == [devices[0]])
        #expect(rig.cameras.withLock { $0[devices[0]]?.exposure } == 360, "what was being set is known")
    }
}
