import CameraKit
import CameraSettings
import CaptureModel
import CaptureTestSupport
import Spool
import Testing
import VirtualDevices

@testable import CaptureEngine

@Suite struct CaptureControlsTests {
    private static let light = DeviceControl(
        name: "flash_led_mode", kind: .menu, maximum: 2,
        menu: [.init(index: 0, name: "Off"), .init(index: 1, name: "Flash"), .init(index: 2, name: "Torch")], value: 0)
    private static let exposure = DeviceControl(
        name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, unit: "100 µs", value: 80)
    private static let gain = DeviceControl(name: "gain", kind: .integer, minimum: 0, maximum: 30, value: 4)

    private static func mode(_ value: Int64) -> DeviceControl {
        DeviceControl(name: "auto_exposure", kind: .menu, maximum: 3, value: value)
    }

    private func plan(_ settings: PhotoSettings, _ controls: DeviceControl...) throws -> CapturePlan {
        let controls = CaptureControls(device: try DeviceID("north/cam"), controls: controls)
        return try CapturePlan(settings, isLit: settings.flash == .on, interval: .milliseconds(40), controls: controls)
    }

    private func bracket(_ exposure: Int64?, _ gain: Int64? = nil) -> PhotoSettings {
        PhotoSettings(bracket: [BracketStep(exposureNanoseconds: exposure, gain: gain)])
    }

    @Test("Sets the requested exposure and restores the camera")
    func steps() throws {
        let settings = PhotoSettings(
            flash: .on,
            bracket: [BracketStep(exposureNanoseconds: 2_040_000), BracketStep(exposureNanoseconds: 1000, gain: 9)])
        let plan = try plan(settings, Self.light, Self.exposure, Self.gain, Self.mode(1))
        #expect(
            plan.steps == [
                ["exposure_time_absolute": 20, "flash_led_mode": 2],
                ["exposure_time_absolute": 1, "gain": 9, "flash_led_mode": 2],
            ])
        #expect(plan.undo == ["exposure_time_absolute": 80, "gain": 4, "flash_led_mode": 0])
    }

    @Test func `A flash lights by either name of its control`() throws {
        for name in ["led_mode", "flash_led_mode"] {
            var light = Self.light
            light.name = name
            let plan = try plan(PhotoSettings(flash: .on), light)
            #expect(plan.steps == [[name: 2]] && plan.undo == [name: 0])
        }
    }

    @Test("Switches automatic exposure off for a step, and on again after it")
    func automatic() throws {
        let plan = try plan(bracket(2_000_000), Self.exposure, Self.mode(3))
        #expect(plan.steps == [["exposure_time_absolute": 20, "auto_exposure": 1]])
        #expect(plan.undo == ["auto_exposure": 3])
    }

    @Test("Refuses what a device cannot do, by name and level")
    func refused() throws {
        let torchless = DeviceControl(
            name: "flash_led_mode", kind: .menu, maximum: 2,
            menu: [.init(index: 0, name: "Off"), .init(index: 1, name: "Flash")], value: 0)
        for attempt in [
            { try plan(PhotoSettings(flash: .on)) }, { try plan(PhotoSettings(flash: .auto)) },
            { try plan(PhotoSettings(flash: .on), torchless) },
            { try plan(bracket(2_000_000), Self.gain) }, { try plan(bracket(nil, 31), Self.gain) },
            { try plan(bracket(41_000_000), Self.exposure) }, { try plan(bracket(nil, 3)) },
        ] as [() throws -> CapturePlan] {
            do {
                _ = try attempt()
                Issue.record("it was promised")
            } catch let problem as RigProblem {
                #expect(problem.code == .unsupportedSettings)
                #expect(problem.message.contains("north/cam") && problem.message.contains("does not support"))
            }
        }
    }

    @Test(
        "The first setting begins so early that the camera's delay has passed by T, or any known one if there is time")
    func lead() throws {
        let interval = Duration.milliseconds(40)
        let slow = FrameDelay(fewest: 2, most: 5)
        func lead(_ delay: FrameDelay?) -> Duration { CapturePlan.lead(interval: interval, delay: delay) }
        func usual(_ delay: FrameDelay?) -> Duration { CapturePlan.usualLead(interval: interval, delay: delay) }
        #expect(lead(nil) == .milliseconds(220) && usual(nil) == .milliseconds(540))
        #expect(lead(FrameDelay(fewest: 0, most: 1)) == .milliseconds(220))
        #expect(lead(slow) == .milliseconds(380) && usual(slow) == lead(slow))
        let delays = ["exposure_time_absolute": slow, "led_mode": FrameDelay(fewest: 0, most: 1)].compactMapValues(
            \.self)
        #expect(CapturePlan.delay(of: bracket(1_000_000), delays) == slow)
        #expect(CapturePlan.delay(of: bracket(1_000_000, 3), delays) == nil, "of the gain nothing is known")
        #expect(CapturePlan.delay(of: PhotoSettings(flash: .auto), delays) == FrameDelay(fewest: 0, most: 1))
    }
}

/// Which frames count for a picture of a capture that sets the camera.
@Suite struct AppliedSettingTests {
    private static let since = LocalTime(nanoseconds: 1_000_000_000)
    private let exposure = Duration.milliseconds(8)

    private func frame(_ mid: Duration, _ exposure: Duration?, _ sequence: UInt64 = 1) -> RingFrame {
        RingFrame(
            sequence: sequence, midExposure: Self.since + mid, stampBound: .zero, exposure: exposure,
            dequeued: Self.since, ready: Self.since, payload: .jpeg([]))
    }

    /// - Parameter isStated: Whether frames state their values.
    private func setting(isStated: Bool, delay: FrameDelay? = nil) -> AppliedSetting {
        let changes = [ControlChange(control: "exposure_time_absolute", old: 20, new: 80, delay: delay)]
        return AppliedSetting(
            watch: ChangeoverWatch(
                changes, began: Self.since, accepted: Self.since, interval: .milliseconds(40),
                newest: FrameFacts(frame(.milliseconds(-20), .milliseconds(2)), isStated: isStated), isOldKnown: true),
            exposure: exposure)
    }

    @Test("Without evidence a frame counts some intervals after the acceptance, if it tells no other exposure")
    func unknown() {
        var setting = setting(isStated: false)
        #expect(!setting.covers(frame(.seconds(1), exposure), after: 2), "nothing has been seen")
        let change = setting.observe([FrameFacts(frame(.milliseconds(20), nil), isStated: false)], at: Self.since)
        #expect(change?.evidence == .unknown)
        #expect(!setting.covers(frame(.milliseconds(83), .milliseconds(8)), after: 2), "began 79 ms after the setting")
        #expect(setting.covers(frame(.milliseconds(84), .milliseconds(8)), after: 2))
        #expect(setting.covers(frame(.milliseconds(85), .microseconds(8100)), after: 2))
        #expect(!setting.covers(frame(.milliseconds(160), .milliseconds(20)), after: 2))
        #expect(setting.covers(frame(.milliseconds(100), nil), after: 2), "a camera that tells no exposure")
        #expect(!setting.covers(frame(.milliseconds(99), nil), after: 2))
        #expect(!setting.covers(frame(.milliseconds(403), .milliseconds(8)), after: 10))
        #expect(setting.covers(frame(.milliseconds(404), .milliseconds(8)), after: 10))
    }

    @Test("Frames that state their values count from the first with the new one on, however late")
    func stated() {
        var setting = setting(isStated: true)
        var frames: [FrameFacts] = []
        for number in 1...9 as ClosedRange<UInt64> {
            let time = number < 9 ? Duration.milliseconds(2) : exposure
            frames.append(FrameFacts(frame(.milliseconds(40) * Int(number), time, number), isStated: true))
            #expect(setting.observe(frames, at: Self.since)?.firstNew?.sequence == (number < 9 ? nil : 9))
        }
        #expect(!setting.covers(frame(.milliseconds(320), .milliseconds(2), 8), after: 2))
        #expect(setting.covers(frame(.milliseconds(360), exposure, 9), after: 10))
    }

    @Test("Frames that should have stated the new value and have not do not count")
    func never() {
        var setting = setting(isStated: true)
        let frames = (1...40).map {
            FrameFacts(frame(.milliseconds(40) * $0, .milliseconds(2), UInt64($0)), isStated: true)
        }
        #expect(setting.observe(frames, at: Self.since)?.evidence == .unknown)
        #expect(!setting.covers(frame(.seconds(2), .milliseconds(2), 50), after: 2))
    }

    @Test("With a measured delay frames count from its greatest on")
    func calibrated() {
        var setting = setting(isStated: false, delay: FrameDelay(fewest: 1, most: 3))
        let frames = (1...7).map { FrameFacts(frame(.milliseconds(40) * $0, nil, UInt64($0)), isStated: false) }
        #expect(setting.observe(frames, at: Self.since)?.firstNew?.sequence == 4)
        #expect(!setting.covers(frame(.milliseconds(120), nil, 3), after: 2))
        #expect(setting.covers(frame(.milliseconds(160), nil, 4), after: 2))
    }
}

@Suite struct CaptureLifeCycleTests {
    private let facts: [CaptureLifeCycle.Fact]

    init() throws {
        let format = VideoFormat(pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(40))
        let resolved = ResolvedPhotoSettings(
            width: 160, height: 120, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
        let timing = FrameTiming(
            sequence: 4, localMidExposure: LocalTime(nanoseconds: 1),
            midExposure: BoundedRigTime(time: RigTime(nanoseconds: 2), bound: .zero), skewNanoseconds: 0,
            dequeued: RigTime(nanoseconds: 3))
        let digest = try #require(ContentDigest(bytes: [UInt8](repeating: 1, count: 32)))
        let preview = PreviewPhoto(jpeg: [1], size: PixelSize(width: 20, height: 15), latencyNanoseconds: 5)
        let clip = ClipTiming(
            localStart: LocalTime(nanoseconds: 1), start: BoundedRigTime(time: RigTime(nanoseconds: 2), bound: .zero),
            frameOffsets: [0, 5], stillFrame: 1, durationNanoseconds: 10, missingFrames: 0)
        let movie = LivePhotoMovieFile(
            SpooledFile(kind: .pairedVideo, byteCount: 1, digest: digest), path: "/spool/clip", timing: clip)
        facts =
            [.armed(resolved), .fired, .frameChosen(timing), .previewMade(preview)]
            + AssetKind.allCases.map { .fileStored(SpooledFile(kind: $0, byteCount: 1, digest: digest)) }
            + [.movieRecorded, .movieStored(movie)]
            + [.ended(nil), .ended(RigProblem(.cancelled, "why"))]
    }

    /// Photos and movie are two chains, neither of which waits for the other.
    private func isOfMovie(_ step: LifeCycleStep) -> Bool {
        switch step {
        case .didFinishRecordingLivePhotoMovie, .didFinishProcessingLivePhotoMovie: true
        default: false
        }
    }

    /// The place of a step in a life.
    private func rank(_ step: LifeCycleStep) -> Int {
        switch step {
        case .willBeginCapture: 0
        case .willCapturePhoto: 1
        case .didCapturePhoto: 2
        case .previewAvailable: 3
        case .didFinishProcessingPhoto, .didFinishRecordingLivePhotoMovie, .didFinishProcessingLivePhotoMovie: 4
        case .didFinishCapture: 5
        }
    }

    @Test("Emits each step once and in order, whatever the order of its inputs", arguments: 0..<400)
    func anyOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var life = CaptureLifeCycle()
        var steps = (0..<60).flatMap { _ in life.handle(facts.randomElement(using: &generator) ?? .fired) }
        steps += life.handle(.ended(nil))
        let photos = steps.filter { !isOfMovie($0) }
        #expect(photos.map(rank) == photos.map(rank).sorted())
        #expect(Set(steps).count == steps.count)
        #expect(steps.count <= CaptureLifeCycle.stepLimit)
        let movie = steps.filter(isOfMovie).map(\.name)
        #expect(["didFinishRecordingMovie", "didFinishProcessingMovie"].starts(with: movie))
        let ends = steps.filter { rank($0) == 5 }
        #expect(ends.count == (steps.isEmpty ? 0 : 1))
        #expect(steps.first.map(rank) ?? 0 == 0)
        #expect(steps.last.map(rank) ?? 5 == 5)
    }

    @Test("Emits every step of a capture that succeeds")
    func whole() {
        var life = CaptureLifeCycle()
        let steps = facts.dropLast().flatMap { life.handle($0) }
        #expect(steps.count == facts.count - 1)
    }
}

/// Sixteen shots at four per second with four cameras, all under way at once: begun four a second, for instants four
/// seconds later.
@Suite(.timeLimit(.minutes(10))) struct OverlappingCaptureTests {
    private let clock = ManualTimeSource()
    private let stages: [Stage]

    init() throws {
        let clock = clock
        stages = try (1...4).map { number in
            try Stage(policy: SessionPolicy(ringDepth: .seconds(1)), clock: clock, device: "north/cam\(number)") {
                $0.number = UInt16(number)
                $0.phaseMilliseconds = Double(number) * 7
                $0.seed = UInt64(number)
                $0.jitterMilliseconds = 3
            }
        }
    }

    /// Lets time pass for all cameras in steps of a millisecond.
    private func pass(_ duration: Duration) async {
        let end = clock.now() + duration
        while clock.now() < end {
            let woken = clock.wakeSleepers(within: .milliseconds(1))
            for stage in stages { await stage.waitUntilIdle(woken: woken) }
        }
    }

    private func running(_ stages: ArraySlice<Stage>, _ body: () async throws -> Void) async throws {
        guard let stage = stages.first else { return try await body() }
        try await stage.run { try await running(stages.dropFirst(), body) }
    }

    @Test("Emits one ordered life cycle for each of sixteen overlapping captures of four cameras")
    func oneLifeCycleEach() async throws {
        try await running(stages[...]) {
            await pass(.milliseconds(300))
            var captures: [(events: CaptureEvents, stage: Stage)] = []
            for shot in 0..<16 {
                for stage in stages {
                    let order = stage.order(stage.now + .milliseconds(4200), shot: Int64(shot))
                    captures.append((try await stage.session.capturePhoto(order), stage))
                }
                await pass(.milliseconds(250))
            }
            #expect(captures.allSatisfy { $0.stage.recorder.steps(of: $0.events.id).map(\.name).last == "willCapture" })
            await pass(.seconds(4))
            for (events, stage) in captures { try await expectOneLife(events, stage) }
            #expect(Set(captures.map(\.events.id)).count == 64)
        }
    }

    private func expectOneLife(_ events: CaptureEvents, _ stage: Stage) async throws {
        var steps: [LifeCycleStep] = []
        for await event in events {
            #expect(event.id == events.id)
            steps.append(event.step)
        }
        #expect(steps.map(\.name) == ["willBegin", "willCapture", "didCapture", "didFinishProcessing", "didFinish"])
        #expect(steps == stage.recorder.steps(of: events.id))
        #expect(await stage.spool.report(of: events.id) != nil)
    }
}
