import CameraConformance
import CameraKit
import CaptureModel
import CaptureTestSupport
import Foundation
import SystemClock
import Testing
import TimeCode

@testable import VirtualDevices

@Suite("Virtual camera: configuration")
struct VirtualConfigurationTests {
    @Test("Keeps the defaults of keys that are not named")
    func defaults() throws {
        let json = #"{"number": 7, "faults": [{"kind": "unplugged", "afterSeconds": 10, "forSeconds": 3}]}"#
        let decoded = try JSONDecoder().decode(VirtualCameraConfiguration.self, from: Data(json.utf8))
        var expected = VirtualCameraConfiguration()
        expected.number = 7
        expected.faults = [VirtualFault(.unplugged, afterSeconds: 10, forSeconds: 3)]
        #expect(decoded == expected)
        let late = #"{"controls": {"delayFrames": 2, "refuse": [{"control": "gain", "from": 20}]}}"#
        expected = VirtualCameraConfiguration()
        expected.controls.delayFrames = 2
        expected.controls.refuse = [VirtualRefusal(control: "gain", from: 20)]
        #expect(try JSONDecoder().decode(VirtualCameraConfiguration.self, from: Data(late.utf8)) == expected)
    }

    @Test("Round-trips every key")
    func roundTrip() throws {
        var configuration = VirtualCameraConfiguration()
        configuration.serial = "SN 1"
        (configuration.driftPPM, configuration.actualFramesPerSecond) = (12.5, 7.5)
        configuration.preview = VirtualPreview(width: 400, height: 300)
        configuration.faults = VirtualFault.Kind.allCases.map {
            VirtualFault($0, fromFrame: 3, fromSet: 2, forSeconds: 0.5)
        }
        configuration.controls.delayFrames = 60
        configuration.controls.delayJitterFrames = 2
        configuration.controls.reportsFrameValues = false
        configuration.controls.reportsAutomaticValues = false
        var look = VirtualLook()
        (look.gainDecibels, look.red, look.blue, look.toneExponent) = (1.5, 1.25, 0.75, 1.125)
        (look.vignetting, look.flickerHertz, look.flickerDepth) = (0.25, 120, 0.5)
        (look.adaptationFrames, look.target) = (15, .patches)
        configuration.look = look
        configuration.stampDelayMilliseconds = 37.5
        configuration.screen = VirtualScreen(seed: 3, lagMilliseconds: 20, rowsMilliseconds: -4.5)
        configuration.truth = "truth.jsonl"
        configuration.controls.steps = ["gain": 3]
        configuration.controls.refuse = [
            VirtualRefusal(control: "gain", from: 3), VirtualRefusal(control: "gain", to: 1),
        ]
        #expect(configuration.problems.isEmpty)
        let data = try JSONEncoder().encode(configuration)
        #expect(try JSONDecoder().decode(VirtualCameraConfiguration.self, from: data) == configuration)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let keys = VirtualCameraConfiguration.CodingKeys.allCases.map(\.rawValue)
        #expect(Set(object?.keys.map { $0 } ?? []) == Set(keys))
    }

    @Test("Refuses a wrong value, and names its key")
    func problems() async throws {
        let mistakes: [(String, @Sendable (inout VirtualCameraConfiguration) -> Void)] = [
            ("width", { $0.width = 0 }), ("height", { $0.height = .max }),
            ("framesPerSecond", { $0.framesPerSecond = 0 }),
            ("framesPerSecond", { $0.framesPerSecond = .nan }),
            ("actualFramesPerSecond", { $0.actualFramesPerSecond = 0 }), ("quality", { $0.quality = 101 }),
            ("jitterMilliseconds", { $0.jitterMilliseconds = 20 }), ("driftPPM", { $0.driftPPM = .infinity }),
            ("exposureMilliseconds", { $0.exposureMilliseconds = 0 }),
            ("phaseMilliseconds", { $0.phaseMilliseconds = .nan }),
            ("readoutMilliseconds", { $0.readoutMilliseconds = -1 }), ("gainDecibels", { $0.gainDecibels = 1e308 }),
            ("preview.width", { $0.preview = VirtualPreview(width: 8) }),
            ("preview.height", { $0.preview = VirtualPreview(height: .max) }),
            ("faults[0].every", { $0.faults = [VirtualFault(.dropped, every: 0)] }),
            ("faults[0].fromSet", { $0.faults = [VirtualFault(.dropped, fromSet: 0)] }),
            ("controls.delayFrames", { $0.controls.delayFrames = 61 }),
            ("controls.delayFrames", { $0.controls.delayFrames = .min }),
            ("controls.delayJitterFrames", { $0.controls.delayJitterFrames = .max }),
            ("controls.steps.flash_led_mode", { $0.controls.steps = ["flash_led_mode": 1] }),
            ("controls.steps.gain", { $0.controls.steps = ["gain": 0] }),
            ("controls.steps.gain", { $0.controls.steps = ["gain": .max] }),
            ("look.gainDecibels", { $0.look = VirtualLook(gain: 25) }), ("look.red", { $0.look = VirtualLook(red: 0) }),
            ("look.red", { $0.look = VirtualLook(red: .nan) }),
            ("stampDelayMilliseconds", { $0.stampDelayMilliseconds = -1 }),
            ("screen.lagMilliseconds", { $0.screen = VirtualScreen(lagMilliseconds: -1) }),
            ("screen.rowsMilliseconds", { $0.screen = VirtualScreen(rowsMilliseconds: .nan) }),
            ("controls.refuse[0].control", { $0.controls.refuse = [VirtualRefusal(control: "hue")] }),
            ("controls.refuse[0].to", { $0.controls.refuse = [VirtualRefusal(control: "gain", to: 49)] }),
            ("controls.refuse[0].from", { $0.controls.refuse = [VirtualRefusal(control: "gain", from: 2, to: 1)] }),
            ("controls.refuse", { $0.controls.refuse = Array(repeating: VirtualRefusal(control: "gain"), count: 65) }),
        ]
        #expect(VirtualCameraConfiguration().problems.isEmpty)
        for (key, mistake) in mistakes {
            var configuration = VirtualCameraConfiguration()
            mistake(&configuration)
            #expect(configuration.problems.map(\.key) == [key])
            let camera = VirtualCamera(name: "wrong", configuration: configuration)
            let error = await #expect(throws: CameraError.self) {
                try await camera.start(FormatRequest(), clock: ManualTimeSource())
            }
            #expect(error?.reason.contains(key) == true)
            #expect(throws: CameraError.self) { try VirtualCamera(name: "right").reconfigure(mistake) }
        }
    }

    @Test("Refuses a format that nobody can deliver")
    func unsupportedFormats() async throws {
        let camera = VirtualCamera(name: "cam")
        let clock = ManualTimeSource()
        let requests = [
            FormatRequest(pixelFormat: .yuyv), FormatRequest(width: 16), FormatRequest(height: -1),
            FormatRequest(framesPerSecond: .nan), FormatRequest(width: .max, height: .max),
            FormatRequest(framesPerSecond: 1e9),
        ]
        for request in requests {
            let error = await #expect(throws: CameraError.self) { try await camera.start(request, clock: clock) }
            #expect(error?.code == .unsupportedFormat)
        }
        let stream = try await camera.start(FormatRequest(width: 800, height: 600, framesPerSecond: 15), clock: clock)
        let agreed = VideoFormat(
            pixelFormat: .mjpeg, width: 800, height: 600, frameInterval: .nanoseconds(66_666_667))
        #expect(stream.format == agreed)
        #expect(stream.hardware.serial == "V00001")
        await stream.stop()
    }
}

@Suite("Manual time source")
struct ManualTimeSourceTests {
    @Test("Wakes sleepers in order at their instants")
    func order() async {
        let clock = ManualTimeSource(start: LocalTime(nanoseconds: 0))
        let (woken, log) = AsyncStream.makeStream(of: Int64.self)
        await withThrowingTaskGroup { group in
            for milliseconds: Int64 in [30, 10, 50, 20, 40] {
                group.addTask {
                    for lap: Int64 in 0..<20 {
                        try await clock.sleep(until: LocalTime(nanoseconds: (lap * 50 + milliseconds) * 1_000_000))
                        log.yield(clock.now().nanoseconds / 1_000_000)
                    }
                    try await clock.sleep(until: LocalTime(nanoseconds: .max))
                }
            }
            await clock.run(until: LocalTime(nanoseconds: 1_000_000_000), sleepers: 5)
            group.cancelAll()
            while let _ = await group.nextResult() {}
        }
        log.finish()
        #expect(await woken.reduce(into: []) { $0.append($1) } == (1...100).map { $0 * 10 })
        #expect(clock.now() == LocalTime(nanoseconds: 1_000_000_000))
    }

    @Test("Wakes a cancelled sleeper", .timeLimit(.minutes(10)))
    func cancellation() async {
        let clock = ManualTimeSource()
        for isAsleep in [true, false] {
            let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
            if isAsleep { await clock.sleepers(atLeast: 1) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }

    @Test("Steps the wall clock without the monotonic clock")
    func wallClockStep() {
        let clock = ManualTimeSource()
        let before = clock.wallClockPair()
        clock.stepWallClock(by: .seconds(-3600))
        clock.advance(by: .seconds(1))
        let after = clock.wallClockPair()
        #expect(after.monotonic - before.monotonic == .seconds(1))
        #expect(after.realtimeNanoseconds - before.realtimeNanoseconds == -3_599_000_000_000)
    }

    @Test("Removes the temporary folder")
    func temporaryFolder() throws {
        var path = ""
        do {
            let folder = try TemporaryFolder()
            path = try folder.write([1, 2, 3], as: "bytes")
            #expect(try ExternalTool.run("test", "-s", path).status == 0)
        }
        #expect(try ExternalTool.run("test", "-e", path).status != 0)
    }
}

/// Each check is a test of its own; its name says what would be wrong.
@Suite("As any camera: virtual")
struct VirtualConformanceTests {
    @Test("Virtual", .timeLimit(.minutes(10)), arguments: ConformanceCheck.allCases)
    func virtual(check: ConformanceCheck) async throws {
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 100),
            clock: SystemTimeSource(), makeCamera: { VirtualCamera(name: "virtual") },
            makeOther: { VirtualCamera(name: "other") }, truth: Self.truth)
        try await conformance.run(check)
    }

    /// When a frame was exposed, as its picture shows.
    private static func truth(_ frame: CameraFrame) throws -> LocalTime {
        let code = try VirtualBench.code(frame)
        let now = SystemTimeSource().wallClockPair()
        return now.monotonic + .nanoseconds(code.realtimeNanoseconds - now.realtimeNanoseconds)
    }

    @Test("Slower than its format states, as in dim light", .timeLimit(.minutes(10)), arguments: [7.5, 5, 10])
    func dimLight(rate: Double) async throws {
        var configuration = VirtualCameraConfiguration()
        configuration.actualFramesPerSecond = rate
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 30),
            clock: SystemTimeSource(),
            makeCamera: { [configuration] in VirtualCamera(name: "virtual", configuration: configuration) },
            truth: Self.truth)
        try await conformance.run(.trueInstants)
        try await conformance.run(.agreedFormat)
    }

    @Test("Virtual, of two streams", .timeLimit(.minutes(10)), arguments: ConformanceCheck.allCases)
    func preview(check: ConformanceCheck) async throws {
        var configuration = VirtualCameraConfiguration()
        configuration.preview = VirtualPreview(width: 192, height: 144)
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg, width: 320, height: 240, framesPerSecond: 100),
            clock: SystemTimeSource(),
            makeCamera: { [configuration] in VirtualCamera(name: "virtual", configuration: configuration) },
            makeOther: { [configuration] in VirtualCamera(name: "other", configuration: configuration) },
            truth: Self.truth)
        try await conformance.run(check)
    }
}

@Suite("Virtual camera: streams", .timeLimit(.minutes(10)))
struct VirtualStreamsTests {
    private func camera(_ faults: [VirtualFault] = []) -> VirtualCamera {
        VirtualBench.camera { configuration in
            configuration.preview = VirtualPreview(width: 144, height: 88)
            configuration.faults = faults
        }
    }

    @Test("Shows the same exposures on both streams, each in its own size")
    func sameExposures() async throws {
        let clock = ManualTimeSource()
        let camera = camera()
        let main = try await camera.start(FormatRequest(), clock: clock)
        let preview = try await camera.start(.preview, FormatRequest(), clock: clock)
        #expect(preview.format.width == 144 && preview.format.height == 88)
        #expect(main.format.width == 160 && main.format.frameInterval == preview.format.frameInterval)
        var (ofMain, ofPreview) = (main.frames.makeAsyncIterator(), preview.frames.makeAsyncIterator())
        for _ in 0..<3 {
            await clock.sleepers(atLeast: 2)
            // Each step wakes one of the two, which sleep until the same instant.
            await clock.step()
            await clock.step()
            let frame = try #require(await ofMain.next())
            let small = try #require(await ofPreview.next())
            #expect(frame.midExposure == small.midExposure)
            #expect(try VirtualBench.code(frame).realtimeNanoseconds == VirtualBench.code(small).realtimeNanoseconds)
        }
        await preview.stop()
        await main.stop()
    }

    @Test("Offers only the main stream without a preview, and refuses another")
    func withoutPreview() async throws {
        let camera = VirtualBench.camera()
        #expect(try await camera.streams().map(\.name) == [.main])
        let error = await #expect(throws: CameraError.self) {
            try await camera.start(.preview, FormatRequest(), clock: ManualTimeSource())
        }
        #expect(error?.code == .unsupportedFormat && error?.reason.contains("'main'") == true)
    }

    @Test("Ends a preview with the device, and leaves frame faults to the main stream")
    func faults() async throws {
        let clock = ManualTimeSource()
        let camera = camera([VirtualFault(.dropped, fromFrame: 1, count: 1)])
        let preview = try await camera.start(.preview, FormatRequest(), clock: clock)
        var frames = preview.frames.makeAsyncIterator()
        for number in 0..<3 {
            await clock.sleepers(atLeast: 1)
            await clock.step()
            #expect(await frames.next()?.sequence == UInt64(number))
        }
        #expect(camera.faults.pending.count == 1)
        try camera.faults.inject(VirtualFault(.unplugged))
        await clock.sleepers(atLeast: 1)
        await clock.step()
        #expect(await frames.next() == nil)
        #expect(preview.failure?.code == .absent)
    }
}

extension VirtualLook {
    fileprivate init(gain: Double = 0, red: Double = 1) {
        self.init()
        (gainDecibels, self.red) = (gain, red)
    }
}
