import CaptureModel
import PosixSupport
import Testing

@testable import CapctlCommands

/// A camera behind a rig that remembers what was set, and whose pictures show steps of a least size.
private final class FakeCamera: CalibrationRig {
    struct State {
        var values: [String: Int64] = ["exposure_time_absolute": 80, "gain": 4]
        var sets: [(control: String, value: Int64)] = []
        var kept: [ControlDelay] = []
    }

    let state = Locked(State())
    let leastStep: Int64
    let failsAfter: Int
    let changesFormatAfter: Int

    init(
        leastStep: Int64 = 0, largest: Int64 = .max, failsAfter: Int = .max, changesFormatAfter: Int = .max
    ) {
        (self.leastStep, self.failsAfter) = (leastStep, failsAfter)
        self.changesFormatAfter = changesFormatAfter
        self.largest = largest
    }

    /// Called with the number of each set.
    let whenSet = Locked<@Sendable (Int64) -> Void>({ _ in })

    /// A larger step is clipped, so that pictures do not show it.
    let largest: Int64

    func controls(of device: DeviceID) async throws -> (
        controls: [DeviceControl], interval: Duration?, format: String?
    ) {
        let (values, count) = state.withLock { ($0.values, $0.sets.count) }
        let controls = values.map { name, value in
            DeviceControl(name: name, kind: .integer, minimum: 0, maximum: 10_000, value: value)
        }
        return (controls, nil, count > changesFormatAfter ? "MJPG 640x480 30 fps" : "MJPG 1280x720 30 fps")
    }

    func set(_ device: DeviceID, _ control: String, _ value: Int64) async throws -> SettingsEffect {
        let (number, old) = state.withLock { state in
            state.sets.append((control, value))
            let old = state.values[control] ?? 0
            state.values[control] = value
            return (Int64(state.sets.count), old)
        }
        whenSet.withLock(\.self)(number)
        if number == failsAfter { throw RigProblem(.deviceLost, "it was unplugged") }
        let frame = number * 50
        let isShown = (leastStep...largest).contains(abs(value - old))
        func mark(_ sequence: Int64) -> FrameMark {
            FrameMark(
                sequence: UInt64(sequence),
                midExposure: BoundedRigTime(time: RigTime(nanoseconds: sequence * 20_000_000), bound: .zero))
        }
        return SettingsEffect(
            accepted: BoundedRigTime(time: RigTime(nanoseconds: frame * 20_000_000), bound: .zero), controls: [:],
            change: isShown
                ? SettingsChangeover(evidence: .pixels, lastOld: mark(frame + 3), firstNew: mark(frame + 4))
                : SettingsChangeover(evidence: .unknown, lastOld: mark(frame - 1)))
    }

    func keep(_ device: DeviceID, _ delays: [ControlDelay]) async throws -> String {
        state.withLock { $0.kept = delays }
        return "/spool/cameras/a.yaml"
    }
}

@Suite struct CalibrationRunnerTests {
    private func calibrate(_ camera: FakeCamera) async throws -> CameraCalibration {
        let device = try DeviceID("north/cam")
        let results = await CalibrationRunner(rig: camera).calibrate([device], ["exposure_time_absolute", "gain"])
        return try #require(results.first)
    }

    @Test("A calibration that is interrupted puts the value back, and keeps nothing", arguments: [1, 2, 7])
    func interrupted(after count: Int) async throws {
        let camera = FakeCamera()
        let device = try DeviceID("north/cam")
        let (beginning, begin) = AsyncStream<Void>.makeStream()
        let calibrating = Task {
            for await _ in beginning { break }
            return await CalibrationRunner(rig: camera).calibrate([device], ["exposure_time_absolute", "gain"])
        }
        camera.whenSet.withLock { $0 = { if $0 == count { calibrating.cancel() } } }
        begin.yield()
        let result = try #require(await calibrating.value.first)
        #expect(result.file == nil && camera.state.withLock(\.kept).isEmpty)
        #expect(camera.state.withLock(\.values) == ["exposure_time_absolute": 80, "gain": 4])
        #expect(camera.state.withLock(\.sets).count <= count + 1, "no further step")
        #expect(result.problem?.contains("interrupted") == true)
    }

    @Test("Says which camera is at which step of which control, and how many have ended") func progress() async throws {
        let device = try DeviceID("north/cam")
        let lines = Locked((progress: CalibrationProgress(count: 3), lines: [String]()))
        let runner = CalibrationRunner(rig: FakeCamera()) { event in
            lines.withLock { $0.lines.append($0.progress.note(event)) }
        }
        _ = await runner.calibrate([device], ["exposure_time_absolute", "gain"])
        let said = lines.withLock(\.lines)
        #expect(said.first == "0 of 3 cameras measured; north/cam exposure_time_absolute, step 0 of 20")
        #expect(said.contains("0 of 3 cameras measured; north/cam gain, step 7 of 20"))
        #expect(said.last == "1 of 3 cameras measured")
        #expect(said.count == 2 * 21 + 1, "each step once")
        let others = try ["b/b", "c/c", "a/a"].map { try DeviceID($0) }
        let line = others.map { other in
            lines.withLock { $0.progress.note(.steps(other, "gain", seen: 2)) }
        }.last
        #expect(line == "1 of 3 cameras measured; a/a gain, step 2 of 20; b/b gain, step 2 of 20; 1 more")
    }

    @Test("A value that an interrupted calibration cannot put back is not said to be put back")
    func interruptedAndBroken() async throws {
        let camera = FakeCamera(failsAfter: 2)
        let device = try DeviceID("north/cam")
        let (beginning, begin) = AsyncStream<Void>.makeStream()
        let calibrating = Task {
            for await _ in beginning { break }
            return await CalibrationRunner(rig: camera).calibrate([device], ["exposure_time_absolute"])
        }
        camera.whenSet.withLock { $0 = { if $0 == 1 { calibrating.cancel() } } }
        begin.yield()
        let problem = try #require(await calibrating.value.first?.problem)
        #expect(problem.contains("unplugged") && !problem.contains("put back"), "\(problem)")
    }

    @Test("Measures each control by 20 steps, puts its value back, and has the delays kept")
    func calibrated() async throws {
        let camera = FakeCamera()
        let result = try await calibrate(camera)
        #expect(result.controls.map(\.name) == ["exposure_time_absolute", "gain"])
        #expect(result.controls.map(\.samples) == [20, 20])
        #expect(result.controls.allSatisfy { $0.delay?.middleThousandths == 4000 && $0.problem == nil })
        #expect(result.file == "/spool/cameras/a.yaml" && result.problem == nil)
        let state = camera.state.withLock { $0 }
        #expect(state.values == ["exposure_time_absolute": 80, "gain": 4])
        #expect(state.kept == result.controls.compactMap(\.delay))
        #expect(CalibrationReport(cameras: [result]).status == .complete)
    }

    @Test("Tries smaller steps where pictures do not show the largest")
    func smaller() async throws {
        let result = try await calibrate(FakeCamera(largest: 700))
        #expect(result.controls.map(\.samples) == [20, 20])
    }

    @Test("Says why a control was not measured, and puts its value back")
    func unseen() async throws {
        let camera = FakeCamera(leastStep: 100)
        let result = try await calibrate(camera)
        #expect(result.controls[0].delay == nil && result.controls[0].problem?.contains("0 of 20 steps") == true)
        #expect(result.controls[1].delay != nil && result.file != nil)
        #expect(camera.state.withLock { $0.values } == ["exposure_time_absolute": 80, "gain": 4])
        #expect(CalibrationReport(cameras: [result]).status == .partial)
    }

    @Test("Keeps nothing if the format of the stream was changed during the measurement")
    func otherFormat() async throws {
        let camera = FakeCamera(changesFormatAfter: 10)
        let result = try await calibrate(camera)
        #expect(result.file == nil && result.problem?.contains("to MJPG 640x480 30 fps") == true)
        #expect(camera.state.withLock { $0.kept }.isEmpty)
        #expect(CalibrationReport(cameras: [result]).status == .failed)
    }

    @Test("Reports a camera that fails on the way, and keeps nothing of the control")
    func failed() async throws {
        let camera = FakeCamera(failsAfter: 5)
        let result = try await calibrate(camera)
        #expect(result.controls[0].problem?.contains("unplugged") == true && result.controls[0].delay == nil)
        #expect(camera.state.withLock { $0.values } == ["exposure_time_absolute": 80, "gain": 4])
    }
}
