import CaptureModel
import CaptureTestSupport
import ImageMetadata
import Spool
import Testing
import TimeCode
import VirtualDevices

@testable import CaptureEngine

/// Stills larger than the stream's frames: 320 × 240 beside a stream of 160 × 120 at 25 frames a second.
@Suite(.timeLimit(.minutes(10))) struct LargerPhotoTests {
    @Test("Takes a larger still of T in the promised size, and reports its cost")
    func taken() async throws {
        let stage = try Stage.larger()
        let output = VideoDataOutput()
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            let order = stage.larger(in: .seconds(2), PhotoSettings(embedThumbnail: .whole, previewSize: 160))
            let resolved = try await stage.session.arm(order).get()
            #expect(resolved.size == PixelSize(width: 320, height: 240))
            #expect(resolved.photoFormat?.width == 320 && resolved.streamFormat.width == 160)
            #expect(resolved.preview == PixelSize(width: 160, height: 120))
            let expected = try #require(resolved.expectedGapNanoseconds)
            let report = try #require(await stage.fire(order).report)

            let still = try await stage.still(report)
            let frame = try JPEGStructure(parsing: still).frame
            #expect((frame.width, frame.height) == (320, 240))
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds / 2)
            let exposed = stage.clock.wallClockPair().realtimeNanoseconds(at: report.timing.localMidExposure)
            #expect(try timeCode(of: still).realtimeNanoseconds == exposed, "the pixels are of another instant")

            let gap = try #require(report.streamGap)
            let length = try #require(gap.nanoseconds)
            #expect(length > 400_000_000 && length <= expected, "\(length) of \(expected)")
            #expect(gap.localStart < report.timing.localMidExposure)
            #expect(gap.localStart + .nanoseconds(length) > report.timing.localMidExposure)
            #expect(stage.recorder.gaps.map(\.gap) == [gap] && stage.recorder.gaps.map(\.key) == [order.key])
            #expect(
                stage.recorder.steps(of: order.key).map(\.name) == [
                    "willBegin", "willCapture", "didCapture", "preview", "didFinishProcessing", "didFinishProcessing",
                    "didFinish",
                ])
            try await stage.expectStream()
            #expect(await output.next()?.frame.jpeg.isEmpty == false)
        }
        #expect(stage.recorder.states.prefix(4) == [.running, .starting, .running, .stopped])
        #expect(
            await stage.recorder.notices(5).prefix(5).map(\.name) == [
                "didStartRunning", "wasInterrupted(largerPhoto)", "didStopRunning", "interruptionEnded(largerPhoto)",
                "didStartRunning",
            ])
    }

    @Test("Keeps frames of a still's size from viewers")
    func outputs() async throws {
        let stage = try Stage.larger()
        let output = VideoDataOutput()
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            let seen = Task {
                var sizes: Set<Int> = []
                while let frame = await output.next() { sizes.insert(frame.width) }
                return sizes
            }
            let order = try await armed(stage)
            #expect(await stage.fire(order).report != nil)
            await stage.advance(frames: 3)
            output.close()
            #expect(await seen.value == [160])
        }
    }

    private func armed(_ stage: Stage) async throws -> CaptureOrder {
        let order = stage.larger(in: .seconds(2))
        _ = try await stage.session.arm(order).get()
        return order
    }

    @Test("Takes a larger still although fire arrives after T")
    func firedLate() async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let order = try await armed(stage)
            await stage.pass(.seconds(4))
            try await stage.expectStream()
            #expect(stage.recorder.gaps.count == 1)
            let report = try #require(await stage.session.fire(order.key).report)
            #expect(report.streamGap?.nanoseconds != nil)
            #expect(try JPEGStructure(parsing: await stage.still(report)).frame.width == 320)
        }
    }

    @Test("Takes samples and photo of one exposure where the camera streams JPEG and offers a larger mosaic")
    func samples() async throws {
        let stage = try Stage.larger(raw: RawSettings(isEnabled: true))
        try await stage.run {
            await stage.start()
            let order = stage.larger(in: .seconds(2), PhotoSettings(raw: .withPhoto))
            let resolved = try await stage.session.arm(order).get()
            let still = try #require(resolved.photoFormat)
            #expect(resolved.streamFormat.pixelFormat == .mjpeg && still.pixelFormat.family.isMosaic)
            #expect(resolved.raw?.samples?.dimensions == PixelSize(width: 320, height: 240))
            #expect(resolved.raw?.samples?.bits == 16, "the deepest that the virtual camera offers")
            let report = try #require(await stage.fire(order).report)
            #expect(report.files.map(\.kind) == [.photo, .alternatePhoto])
            let exposed = stage.clock.wallClockPair().realtimeNanoseconds(at: report.timing.localMidExposure)
            #expect(try timeCode(of: await stage.still(report)).realtimeNanoseconds == exposed)
            #expect(report.streamGap != nil)
            try await stage.expectStream()
            #expect(await stage.session.condition.format?.pixelFormat == .mjpeg)
        }
    }

    @Test("Leaves the stream for a mosaic only for a shot that needs the samples, of a camera with RAW")
    func picturesAlone() async throws {
        let enabled = RawSettings(isEnabled: true)
        let cases: [(RawSettings, RawPhoto?, PixelFormat?, String?)] = [
            (enabled, nil, nil, nil), (enabled, .withPhotoWhereEnabled, nil, nil),
            (RawSettings(), .withPhoto, nil, "the camera delivers MJPG"),
            (enabled, .only, .mjpeg, "the camera delivers MJPG"),
        ]
        for (raw, wish, configured, reason) in cases {
            let stage = try Stage.larger(pixelFormat: configured, raw: raw)
            try await stage.run {
                await stage.start()
                let order = stage.larger(in: .seconds(2), PhotoSettings(raw: wish))
                let answer = await stage.session.arm(order)
                guard let reason else {
                    let resolved = try answer.get()
                    #expect(resolved.photoFormat?.pixelFormat == .mjpeg && resolved.raw == nil)
                    return
                }
                #expect(answer.failure?.message.contains(reason) == true, "\(answer)")
            }
        }
    }

    private func offer(_ pixelFormat: PixelFormat, _ size: PixelSize, milliseconds: Int64) -> FormatOffer {
        let interval = milliseconds * 1_000_000
        let rate = IntervalOffer(shortestNanoseconds: interval, longestNanoseconds: interval)
        let (widths, heights) = (PixelRange(size.width, size.width), PixelRange(size.height, size.height))
        return FormatOffer(
            pixelFormat: pixelFormat, sizes: [SizeOffer(widths: widths, heights: heights, intervals: [rate])])
    }

    @Test("States the lead of a camera with RAW whose only larger frames are samples")
    func samplesAlone() async throws {
        let (small, large) = (PixelSize(width: 160, height: 120), PixelSize(width: 320, height: 240))
        let offers = [offer(.mjpeg, small, milliseconds: 40), offer(.rggb10, large, milliseconds: 100)]
        for isEnabled in [false, true] {
            let stage = try Stage(
                maxPhotoDimensions: .largest, offers: offers, raw: RawSettings(isEnabled: isEnabled))
            try await stage.run {
                await stage.start()
                let stated = await stage.session.condition.session?.largerPhoto
                #expect(stated?.dimensions == (isEnabled ? large : nil))
                guard let stated else { return }
                let lead = Duration.nanoseconds(stated.leadNanoseconds)
                let order = stage.larger(in: lead + .milliseconds(1), PhotoSettings(raw: .only))
                let resolved = try await stage.session.arm(order).get()
                #expect(resolved.photoFormat?.pixelFormat == .rggb10 && resolved.size == large)
            }
        }
    }

    @Test("Takes larger samples of a camera that streams a mosaic since it offers nothing else")
    func largerMosaic() async throws {
        let (small, large) = (PixelSize(width: 160, height: 120), PixelSize(width: 320, height: 240))
        let offers = [offer(.rggb10, small, milliseconds: 33), offer(.rggb10, large, milliseconds: 100)]
        let stage = try Stage(
            maxPhotoDimensions: .largest, preset: .high, offers: offers, raw: RawSettings(isEnabled: true))
        try await stage.run {
            await stage.start()
            let order = stage.larger(in: .seconds(2), PhotoSettings(raw: .only))
            let resolved = try await stage.session.arm(order).get()
            #expect(resolved.streamFormat.pixelFormat == .rggb10 && resolved.streamFormat.width == small.width)
            #expect(resolved.photoFormat?.pixelFormat == .rggb10 && resolved.raw?.samples?.dimensions == large)
        }
    }

    @Test("Refuses a mosaic of which five frames have no room in the ring")
    func roomForSamples() async throws {
        var policy = SessionPolicy()
        policy.ringByteLimit = 320 * 240 * 2 * 5 - 1
        let stage = try Stage.larger(policy: policy, raw: RawSettings(isEnabled: true))
        try await stage.run {
            await stage.start()
            let refusal = await stage.session.arm(stage.larger(in: .seconds(2), PhotoSettings(raw: .only))).failure
            #expect(refusal?.code == .noMemory)
            #expect(await stage.session.arm(stage.larger(in: .seconds(2), shot: 2)).failure == nil)
        }
    }

    @Test("Applies light and bracket to a larger still, and restores the camera")
    func prepared() async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let exposures: [Int64] = [2_000_000, 16_000_000]
            let order = stage.larger(
                in: .seconds(3),
                PhotoSettings(flash: .on, bracket: exposures.map { BracketStep(exposureNanoseconds: $0) }))
            let resolved = try await stage.session.arm(order).get()
            #expect(resolved.isFlashUsed == true && resolved.bracketCount == 2 && resolved.width == 320)
            let report = try #require(await stage.fire(order).report)
            #expect(report.timing.exposureNanoseconds == exposures[0])
            #expect(abs(report.timing.skewNanoseconds) <= Stage.period.nanoseconds)
            var lumas: [Int] = []
            for kind in [AssetKind.photo, .photo2] {
                let bytes = try await stage.bytes(of: kind, report)
                #expect(try JPEGStructure(parsing: bytes).frame.width == 320)
                lumas.append(try #require(LumaMeter.meanLuma(of: bytes)))
            }
            #expect(lumas[0] + 10 < lumas[1], "\(lumas)")
            let light = try await stage.camera.capabilities().controls.first { $0.name == "flash_led_mode" }
            #expect(light?.value == 0)
            try await stage.expectStream()
        }
    }

    @Test(
        "A photo of the Swift API is not larger where its settings ask for it, or its events end before the stream is back"
    )
    func photoOutput() async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let settings = PhotoSettings(maxPhotoDimensions: PixelSize(width: 320, height: 240))
            let photo = PhotoOutput(session: stage.session)
            await #expect(throws: RigProblem.self) {
                try await photo.capturePhoto(with: settings, at: stage.clock.now())
            }
            let events = try await photo.capturePhoto(with: settings)
            let reading = Task {
                var names: [String] = []
                for await event in events { names.append(event.step.name) }
                return names
            }
            await stage.pass(.seconds(4))
            #expect(
                await reading.value == ["willBegin", "willCapture", "didCapture", "didFinishProcessing", "didFinish"])
            #expect(stage.recorder.gaps.count == 1)
        }
    }

    @Test("Learns the duration of a format switch from earlier ones")
    func lead() async throws {
        let stage = try Stage.larger { $0.startDelayMilliseconds = 500 }
        try await stage.run {
            await stage.start()
            let offered = try #require(await stage.session.condition.session?.largerPhoto)
            #expect(offered.dimensions == PixelSize(width: 640, height: 480))
            #expect(offered.leadNanoseconds > 1_500_000_000, "twice the opening of half a second, and what settles")
            let needed = Duration.nanoseconds(offered.leadNanoseconds)
            let near = stage.larger(in: needed - .milliseconds(1), shot: 1)
            let problem = await stage.session.arm(near).failure
            #expect(problem?.code == .tooSoon && problem?.message.contains("--lead") == true)
            let order = stage.larger(in: needed + .milliseconds(1), shot: 2)
            _ = try await stage.session.arm(order).get()
            #expect(await stage.fire(order, for: .seconds(6)).report != nil)
        }
    }
}

/// The three levels, and captures that overlap.
@Suite(.timeLimit(.minutes(10))) struct LargerPhotoRefusalTests {
    private func refusal(_ stage: Stage, _ width: Int, _ height: Int) async -> RigProblem? {
        let settings = PhotoSettings(maxPhotoDimensions: PixelSize(width: width, height: height))
        let order = stage.order(stage.now + .seconds(3), shot: Int64(width), settings: settings)
        let problem = await stage.session.arm(order).failure
        if problem != nil { #expect(stage.recorder.steps(of: order.key).isEmpty) }
        return problem
    }

    @Test("Refuses a larger still that is not enabled, and names the level")
    func notEnabled() async throws {
        let stage = try Stage()
        try await stage.run {
            await stage.start()
            let problem = await refusal(stage, 320, 240)
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains("supported up to") == true)
            #expect(problem?.message.contains("not enabled") == true)
            let session = try #require(await stage.session.condition.session)
            #expect(session.abilities.largerPhoto.reason?.contains("not enabled") == true)
            #expect(session.largerPhoto == nil && session.abilities.photo.isAllowed)
            #expect(await refusal(stage, 160, 120) == nil, "a frame of the stream is as large")
        }
    }

    @Test(
        "A larger still is refused without the level that is missing",
        arguments: [
            (800, 600, "not enabled"), (640, 481, "not enabled"), (100, 100, "beyond"), (200, 100, "beyond"),
        ])
    func outOfRange(_ width: Int, _ height: Int, _ reason: String) async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            let problem = await refusal(stage, width, height)
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains(reason) == true, "\(problem?.message ?? "armed")")
        }
    }

    @Test("Refuses a larger still for a camera of one size")
    func notSupported() async throws {
        let size = SizeOffer(widths: PixelRange(160, 160), heights: PixelRange(120, 120), intervals: [])
        let stage = try Stage(maxPhotoDimensions: .largest, offers: [FormatOffer(pixelFormat: .mjpeg, sizes: [size])])
        try await stage.run {
            await stage.start()
            let problem = await refusal(stage, 320, 240)
            #expect(problem?.code == .unsupportedSettings)
            #expect(problem?.message.contains("not supported") == true)
            let ability = await stage.session.abilities.largerPhoto
            #expect(ability.reason?.contains("not supported") == true)
        }
    }

    @Test("Refuses a larger still that the ring has no room for")
    func noRoom() async throws {
        let stage = try Stage(policy: SessionPolicy(ringByteLimit: 200_000), maxPhotoDimensions: .largest)
        try await stage.run {
            await stage.start()
            #expect(await refusal(stage, 4096, 3072)?.code == .noMemory)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Refuses a larger still that overlaps with another capture")
    func alone() async throws {
        let stage = try Stage.larger()
        try await stage.run {
            await stage.start()
            #expect(await stage.session.abilities.largerPhoto.isAllowed)
            let plain = stage.order(stage.now + .seconds(2), shot: 1)
            _ = try await stage.session.arm(plain).get()
            #expect(await stage.session.abilities.largerPhoto.isAllowed == false)
            let larger = stage.larger(in: .seconds(2), shot: 2)
            #expect(await stage.session.arm(larger).failure?.code == .conflict)
            await stage.session.cancel(plain.key)
            let resolved = try await stage.session.arm(larger).get()
            #expect(try await stage.session.arm(larger).get() == resolved, "a repeat has the same answer")
            #expect(await stage.session.readiness == .busy)
            #expect(await stage.session.arm(plain).failure?.code == .conflict)
            #expect(await stage.session.arm(stage.larger(in: .seconds(2), shot: 3)).failure?.code == .conflict)
            await stage.pass(until: .starting)
            #expect(await stage.session.arm(plain).failure?.code == .conflict, "in the gap")
            #expect(try await stage.session.arm(larger).get() == resolved)
            #expect(await stage.session.readiness == .busy)
            #expect(await stage.session.abilities.photo.isAllowed == false)
            #expect(await stage.fire(larger).report != nil)
            _ = try await stage.session.arm(stage.order(stage.now + .milliseconds(100), shot: 4)).get()
        }
    }
}
