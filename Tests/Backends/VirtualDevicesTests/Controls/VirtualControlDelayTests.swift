import CameraKit
import CameraSettings
import CaptureModel
import CaptureTestSupport
import Testing
import TurboJPEG

@testable import VirtualDevices

@Suite("Virtual camera: delay of controls")
struct VirtualControlDelayTests {
    /// A camera as wide as a period of the pattern, so that the mean of a picture does not depend on its movement.
    private func bench(
        _ configure: (inout VirtualCameraConfiguration) -> Void = { _ in }
    ) async throws -> VirtualBench {
        try await VirtualBench {
            $0.width = SceneTexture.period
            configure(&$0)
        }
    }

    /// Sets a control and returns how many frames that follow have the old brightness.
    ///
    /// One frame is planned at that time. The scene is at normal brightness before and at twice that after, or the
    /// reverse.
    private func oldFrames(
        _ bench: inout VirtualBench, setting values: [String: Int64], among count: Int
    ) async throws -> Int {
        #expect(try await bench.stream.setControls(values) == values)
        let frames = await bench.expose(count)
        let isBright = try frames.map { try $0.sceneLuma > 150 }
        let last = isBright[count - 1]
        let old = try #require(isBright.firstIndex(of: last))
        #expect(isBright[..<old].allSatisfy { $0 != last } && isBright[old...].allSatisfy { $0 == last })
        for (frame, isBright) in zip(frames, isBright) {
            let factor = try Double(#require(frame.exposure) / .milliseconds(8)) * (#require(frame.gain) == 6 ? 2 : 1)
            #expect((factor > 1.5) == isBright, "\(frame.sequence) reports other values than it has")
        }
        return old
    }

    @Test("A control acts as many frames late as configured, and is read back at once", arguments: 0...6)
    func delay(_ delay: Int) async throws {
        var bench = try await bench { $0.controls.delayFrames = delay }
        _ = await bench.expose(3)
        for values: [String: Int64] in [
            ["gain": 6], ["gain": 0], ["exposure_time_absolute": 160], ["exposure_time_absolute": 80],
        ] {
            #expect(try await oldFrames(&bench, setting: values, among: 10) == 1 + delay)
            let read = try await bench.stream.controls()
            #expect(values.allSatisfy { name, value in read.contains { $0.name == name && $0.value == value } })
        }
        await bench.stream.stop()
    }

    @Test("The delay varies within its bounds, and equally in each run")
    func jitter() async throws {
        var runs: [[Int]] = []
        for seed: UInt64 in [1, 1, 2] {
            var bench = try await bench {
                $0.seed = seed
                $0.controls.delayFrames = 1
                $0.controls.delayJitterFrames = 3
            }
            _ = await bench.expose(1)
            var run: [Int] = []
            for set in 0..<30 {
                run.append(try await oldFrames(&bench, setting: ["gain": set.isMultiple(of: 2) ? 6 : 0], among: 6))
            }
            await bench.stream.stop()
            runs.append(run)
        }
        #expect(Set(runs[0]) == [2, 3, 4, 5])
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
    }

    @Test("The default camera has the delay that its file states")
    func file() async throws {
        let configuration = VirtualCameraConfiguration()
        let known = try #require(
            CameraCatalogue.shipped.peculiarities(make: configuration.make, model: configuration.model))
        var (bench, other) = (try await bench(), try await bench())
        for stream in [bench.stream, other.stream] {
            _ = try await stream.setControls(["white_balance_automatic": 0])
        }
        _ = (await bench.expose(2), await other.expose(2))
        let changes: [(control: String, value: Int64)] = [
            ("gain", 6), ("gain", 0), ("exposure_time_absolute", 160), ("exposure_time_absolute", 80),
            ("flash_led_mode", 1), ("auto_exposure", 0), ("auto_exposure", 1),
            ("white_balance_temperature", 2800), ("white_balance_automatic", 1), ("white_balance_automatic", 0),
        ]
        for (name, value) in changes {
            _ = try await bench.stream.setControls([name: value])
            let frames = (await bench.expose(4), await other.expose(4))
            let differ = try zip(frames.0, frames.1).map { try $0.sceneColor.differs(from: $1.sceneColor) }
            let old = try #require(differ.firstIndex(of: true), "\(name) has no effect")
            #expect(differ[old...].allSatisfy { $0 })
            // A frame is planned already. Without one, none has the old value.
            #expect(known.delays[name] == FrameDelay(fewest: 0, most: old), "\(name)")
            _ = try await other.stream.setControls([name: value])
            _ = (await bench.expose(2), await other.expose(2))
        }
        #expect(Set(changes.map(\.control)) == Set(known.delays.keys))
        await bench.stream.stop()
        await other.stream.stop()
    }

    @Test("Values that wait when a stream ends are in force from the first frame of the next")
    func nextStream() async throws {
        var bench = try await bench { $0.controls.delayFrames = 60 }
        #expect(try #require(await bench.expose(1).first).gain == 0)
        _ = try await bench.stream.setControls(["gain": 6])
        await bench.stream.stop()
        var next = try await VirtualBench(camera: bench.camera, clock: bench.clock)
        let frame = try #require(await next.expose(1).first)
        #expect(frame.gain == 6)
        #expect(try frame.sceneLuma > 150)
        await next.stream.stop()
    }

    @Test("A changed configuration overtakes controls that wait")
    func reconfigured() async throws {
        var bench = try await bench { $0.controls.delayFrames = 3 }
        _ = await bench.expose(1)
        _ = try await bench.stream.setControls(["gain": 6])
        try bench.camera.reconfigure { $0.phaseMilliseconds = 1 }
        #expect(await bench.expose(2).map(\.gain) == [0, 0])
        try bench.camera.reconfigure { $0.exposureMilliseconds = 4 }
        let frames = await bench.expose(5)
        #expect(frames.map(\.gain) == [0, 6, 6, 6, 6])
        #expect(frames.dropFirst().allSatisfy { $0.exposure == .milliseconds(4) })
        #expect(bench.camera.configuration.gainDecibels == 6)
        await bench.stream.stop()
    }

    @Test("Frames carry neither exposure time nor gain if the camera does not report them")
    func withoutMetadata() async throws {
        var bench = try await bench { $0.controls.reportsFrameValues = false }
        var frames = await bench.expose(2)
        _ = try await bench.stream.setControls(["gain": 6])
        frames += await bench.expose(3)
        #expect(frames.allSatisfy { $0.exposure == nil && $0.gain == nil })
        #expect(try frames.map { try $0.sceneLuma > 150 } == [false, false, false, true, true])
        await bench.stream.stop()
    }
}

@Suite("Virtual camera: values of controls by frame")
struct PendingControlValuesTests {
    private let initial = VirtualControlValues(VirtualCameraConfiguration())

    @Test("A value acts after its delay, and never before an earlier one")
    func transcript() {
        var values = PendingControlValues(initial)
        var gains: [Double] = []
        func plan() { gains.append(values.plan().gainDecibels) }
        plan()
        values.set(.gain, 6, delay: 2)
        plan()
        values.set(.gain, 9, delay: 0)
        #expect(values.pendingCount == 1)
        plan()
        plan()
        values.set(.gain, 3, delay: 0)
        values.set(.gain, 1, delay: 1)
        plan()
        plan()
        #expect(gains == [0, 0, 0, 9, 3, 1])
        #expect(values.pendingCount == 0)
    }

    @Test("Holds no more values than the longest delay has frames, however many are set")
    func bounded() {
        var values = PendingControlValues(initial)
        var random = SeededGenerator(seed: 5)
        for value in 0..<20_000 {
            values.set(.focus, Int64(value % 250), delay: Int.random(in: 0...120, using: &random))
            if value.isMultiple(of: 100) { _ = values.plan() }
            #expect(values.pendingCount <= 121)
        }
        for _ in 0...120 { _ = values.plan() }
        #expect(values.pendingCount == 0)
        #expect(values.plan().focus == Int64(19_999 % 250))
    }

    @Test("Keeps the order of values, whatever their delays")
    func order() {
        var random = SeededGenerator(seed: 11)
        var values = PendingControlValues(initial)
        var seen: [Int64] = []
        for value: Int64 in 1...2000 {
            values.set(.integer64, value, delay: Int.random(in: 0...6, using: &random))
            if Bool.random(using: &random) { seen.append(values.plan().integer64) }
        }
        for _ in 0...6 { seen.append(values.plan().integer64) }
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(seen.last == 2000)
    }

    @Test("Streams of one camera have a value after the same number of frames")
    func streams() {
        var configuration = VirtualCameraConfiguration()
        configuration.controls.delayFrames = 1
        configuration.controls.delayJitterFrames = 5
        var controls = VirtualControls(configuration)
        controls.open(.main)
        for _ in 0..<4 { _ = controls.plan(.main) }
        controls.open(.preview)
        controls.set(.gain, 6, configuration)
        #expect(controls.accepted.gainDecibels == 6)
        let pairs = (0..<8).map { _ in (controls.plan(.main).gainDecibels, controls.plan(.preview).gainDecibels) }
        #expect(pairs.allSatisfy { $0.0 == $0.1 })
        #expect(pairs.first?.0 == 0 && pairs.last?.0 == 6)
    }
}

extension CameraFrame {
    /// Mean luma of the scene below the time code in a picture of 120 rows: about 110 at normal brightness.
    var sceneLuma: Double {
        get throws {
            let image = try VirtualBench.luma(lease.bytes)
            let scene = image.bytes[(96 * image.width)...]
            return scene.reduce(0) { $0 + Double($1) } / Double(scene.count)
        }
    }
}
