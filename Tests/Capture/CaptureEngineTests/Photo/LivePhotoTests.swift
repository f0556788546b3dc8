import CameraKit
import CaptureModel
import CaptureTestSupport
import Movies
import PosixSupport
import Spool
import Testing
import TimeCode
import VirtualDevices

@testable import CaptureEngine

/// Captures with a companion clip, of a camera of 25 frames a second.
@Suite(.timeLimit(.minutes(10))) struct LivePhotoTests {
    private let writer = ClipRecorder()
    private let live = PhotoSettings(livePhoto: .whereEnabled)

    @Test("Records all frames of a Live Photo around T, and reports its steps in order")
    func wholeClip() async throws {
        let stage = try Stage(clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 60)
            let time = stage.now + .milliseconds(100)
            let events = try await stage.session.capturePhoto(stage.order(time, settings: live))
            #expect(await stage.session.livePhotosInProgress == 1)
            await stage.pass(.milliseconds(1800))
            let steps = await events.steps()
            #expect(
                steps.map(\.name) == [
                    "willBegin", "willCapture", "didCapture", "didFinishProcessing", "didFinishRecordingMovie",
                    "didFinishProcessingMovie", "didFinish",
                ])
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.files.map(\.kind) == [.photo, .pairedVideo] && report.owed == [])
            #expect(stage.recorder.growth(of: events.id) == [report])
            let announced = try #require(report.resolved.livePhoto)
            #expect(announced.preRollNanoseconds == 1_500_000_000 && announced.dimensions.width == 160)
            #expect(report.resolved.livePhotoNote?.contains("silent") == true)
            try expectWhole(try #require(report.clip), time, report)
            #expect(await stage.session.livePhotosInProgress == 0)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    /// Three seconds at 25 frames a second, the still in the middle, each frame at its own time.
    private func expectWhole(_ timing: ClipTiming, _ time: RigTime, _ report: CaptureReport) throws {
        #expect((74...76).contains(timing.frameOffsets.count))
        #expect((2_960_000_000...3_040_000_000).contains(timing.durationNanoseconds))
        #expect(timing.missingFrames == 0)
        #expect((timing.start.time - (time - .milliseconds(1500))).magnitude <= .milliseconds(40))
        #expect(timing.localStart + .nanoseconds(timing.photoDisplayNanoseconds) == report.timing.localMidExposure)
        let clip = try #require(writer.written.value.last)
        #expect(clip.movie.frames.count == timing.frameOffsets.count && clip.movie.stillIndex == timing.stillFrame)
        for (frame, offset) in zip(clip.movie.frames, timing.frameOffsets) {
            #expect(abs(frame.presentationTime * 100_000 / 9 - offset) < 10_000)
        }
        // Frame by frame, as the time code in the pixels says.
        let numbers = try clip.movie.frames.map { try timeCode(of: $0.jpeg).frameNumber }
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
    }

    @Test("Pairs clip and photo by one identifier, with the photo's frame in the clip")
    func pairing() async throws {
        let stage = try Stage(clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: live))
            await stage.pass(.milliseconds(1700))
            _ = await events.steps()
            let report = try #require(await stage.spool.report(of: events.id))
            let clip = try #require(writer.written.value.last).movie
            let still = try await stage.still(report)
            #expect(try timeCode(of: clip.frames[clip.stillIndex].jpeg) == timeCode(of: still))
            #expect(clip.contentIdentifier == events.id.contentIdentifier)
            #expect(String(decoding: still, as: UTF8.self).contains(clip.contentIdentifier))
            #expect(clip.contentIdentifier.count == 36 && clip.contentIdentifier.uppercased() == clip.contentIdentifier)
        }
    }

    @Test("Keeps the whole clip of each of sixteen overlapping captures")
    func overlapping() async throws {
        let stage = try Stage(clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 60)
            var captures: [CaptureEvents] = []
            for shot in 0..<16 {
                let order = stage.order(stage.now, shot: Int64(shot), settings: live)
                captures.append(try await stage.session.capturePhoto(order))
                await stage.pass(.milliseconds(120))
            }
            await stage.pass(.milliseconds(1700))
            for events in captures {
                #expect(await events.steps().last?.name == "didFinish")
                let report = try #require(await stage.spool.report(of: events.id))
                let clip = try #require(report.clip)
                #expect((74...76).contains(clip.frameOffsets.count) && clip.missingFrames == 0)
                #expect(report.resolved.livePhoto?.preRollNanoseconds == 1_500_000_000)
            }
            #expect(await stage.session.ring.pinnedTime(with: stage.clock.now()...stage.clock.now()) == .zero)
        }
    }

    @Test("Reports a clip that begins later than asked")
    func shortPreRoll() async throws {
        let stage = try Stage(clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 20)
            let resolved = try #require(await stage.session.arm(stage.order(stage.now, settings: live)).value)
            let movie = try #require(resolved.livePhoto)
            #expect((700_000_000...820_000_000).contains(movie.preRollNanoseconds))
            #expect(movie.postRollNanoseconds == 1_500_000_000)
            #expect(resolved.livePhotoNote?.contains("before T instead of 1500") == true)
        }
    }

    @Test("Promises no more time before T than the ring has room for")
    func smallRing() async throws {
        let frame = try await frameByteCount()
        // Room for 80 frames at most, of which a quarter is kept as a margin: 64, and a clip has 75.
        let policy = SessionPolicy(ringByteLimit: frame * 80)
        let stage = try Stage(policy: policy, clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: live))
            await stage.pass(.milliseconds(1700))
            _ = await events.steps()
            let report = try #require(await stage.spool.report(of: events.id))
            let movie = try #require(report.resolved.livePhoto)
            #expect(movie.preRollNanoseconds < 1_400_000_000)
            let clip = try #require(report.clip)
            #expect(abs(clip.durationNanoseconds - movie.preRollNanoseconds - movie.postRollNanoseconds) <= 40_000_000)
            #expect(clip.missingFrames == 0)
        }
    }

    @Test("Keeps the photo where a clip has no room, and refuses a required clip")
    func tinyRing() async throws {
        let stage = try Stage(policy: SessionPolicy(ringByteLimit: try await frameByteCount() * 20), clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 30)
            let required = PhotoSettings(livePhoto: .required)
            #expect(await stage.session.arm(stage.order(stage.now, settings: required)).failure?.code == .noMemory)
            let order = stage.order(stage.now, shot: 2, settings: live)
            let resolved = try #require(await stage.session.arm(order).value)
            #expect(resolved.livePhoto == nil && resolved.livePhotoNote?.contains("no clip") == true)
        }
    }

    @Test("Tells disabled clips of one camera from a node without clips")
    func clipsAreOff() async throws {
        for clipWriter in [nil, writer] as [(any ClipWriting)?] {
            let stage = try Stage(policy: SessionPolicy(isLivePhotoEnabled: false), clipWriter: clipWriter)
            try await stage.run {
                await stage.start(frames: 30)
                let order = stage.order(stage.now, settings: PhotoSettings(livePhoto: .required))
                let refusal = await stage.session.arm(order).failure
                #expect(refusal?.code == .unsupportedSettings)
                #expect(refusal?.message.contains("supported but not enabled: set `live: true`") == true)
            }
        }
    }

    @Test("Refuses a clip before T on a machine that cannot write one, and takes the photo where it is enough")
    func machineWithoutMovies() async throws {
        let stage = try Stage(clipWriter: ClipRecorder(obstacle: "install the library"))
        try await stage.run {
            await stage.start(frames: 30)
            let required = stage.order(stage.now, settings: PhotoSettings(livePhoto: .required))
            let refusal = await stage.session.arm(required).failure
            #expect(refusal?.code == .unsupportedSettings)
            #expect(refusal?.message == "north/cam: a Live Photo is not possible: install the library")
            #expect(await stage.session.objection(to: required.settings) == refusal)
            let resolved = await stage.session.arm(stage.order(stage.now, shot: 2, settings: live)).value
            #expect(resolved?.livePhotoNote == "no clip: install the library" && resolved?.livePhoto == nil)
            let abilities = await stage.session.abilities
            #expect(abilities.live == .refused("install the library") && abilities.photo.isAllowed)
        }
    }

    @Test("Refuses an encoded clip on a machine that cannot write one, and leaves it out where clips are off")
    func encodedClipWithoutMovies() async throws {
        let encoded = [
            PhotoSettings(livePhoto: .whereEnabled, clipCodec: .h264),
            PhotoSettings(livePhoto: .whereEnabled, motionPhoto: true),
        ]
        for isEnabled in [true, false] {
            let stage = try Stage(
                policy: SessionPolicy(isLivePhotoEnabled: isEnabled),
                clipWriter: ClipRecorder(obstacle: "install the library"))
            try await stage.run {
                await stage.start(frames: 30)
                for (number, settings) in encoded.enumerated() {
                    let order = stage.order(stage.now, shot: Int64(number) + 1, settings: settings)
                    let verdict = await stage.session.arm(order)
                    if isEnabled {
                        #expect(verdict.failure?.code == .unsupportedSettings)
                        #expect(verdict.failure?.message == "north/cam: install the library")
                        #expect(await stage.session.objection(to: settings) == verdict.failure)
                    } else {
                        #expect(verdict.value?.livePhoto == nil)
                        #expect(verdict.value?.livePhotoNote?.hasPrefix("no clip: ") == true)
                    }
                }
            }
        }
    }

    private func frameByteCount() async throws -> Int {
        let stage = try Stage()
        var count = 0
        try await stage.run {
            await stage.start(frames: 10)
            count = await stage.session.ring.newest?.byteCount ?? 0
        }
        return count
    }

    @Test("Takes photos without clips where they are not enabled, and names the level")
    func notEnabled() async throws {
        let stage = try Stage(policy: SessionPolicy(isLivePhotoEnabled: false), clipWriter: writer)
        try await stage.run {
            await stage.start()
            let required = stage.order(stage.now, settings: PhotoSettings(livePhoto: .required))
            let problem = await stage.session.arm(required).failure
            #expect(problem?.code == .unsupportedSettings && problem?.message.contains("not enabled") == true)
            let resolved = await stage.session.arm(stage.order(stage.now, shot: 2, settings: live)).value
            #expect(resolved != nil && resolved?.livePhoto == nil)
            #expect(resolved?.livePhotoNote?.contains("not enabled") == true)
            let abilities = await stage.session.abilities
            #expect(!abilities.live.isAllowed && abilities.photo.isAllowed)
        }
    }

    @Test("Refuses a clip that is longer than the ring")
    func shortRing() async throws {
        let stage = try Stage(policy: SessionPolicy(ringDepth: .seconds(1)), clipWriter: writer)
        try await stage.run {
            await stage.start()
            let required = stage.order(stage.now, settings: PhotoSettings(livePhoto: .required))
            #expect(await stage.session.arm(required).failure?.message.contains("ring.depth") == true)
        }
    }

    @Test("Keeps the photo when its clip cannot be written, and removes the remains")
    func failedWriter() async throws {
        writer.problem.withLock { $0 = RigProblem(.noSpace, "The disk is full.") }
        let stage = try Stage(clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: live))
            await stage.pass(.milliseconds(1700))
            let steps = await events.steps()
            #expect(steps.map(\.name).suffix(2) == ["didFinishRecordingMovie", "didFinish(noSpace)"])
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.files.map(\.kind) == [.photo])
            #expect(report.failed.map(\.problem.code) == [.noSpace])
            #expect(stage.recorder.growth(of: events.id) == [report])
            #expect(try stage.spooledNames().count == 2)
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test(
        "An order that is repeated while its first answer is late takes the frames of a clip under way, or is armed again"
    )
    func lateAnswer() async throws {
        let tone = Tone()
        let stage = try Stage(clipWriter: writer, clipSound: tone)
        try await stage.run {
            await stage.start(frames: 60)
            let order = stage.order(stage.now, settings: live)
            tone.isHeld.change { $0 = true }
            let late = Task { await stage.session.arm(order) }
            await tone.waiting.wait { $0 == 1 }
            tone.isHeld.change { $0 = false }
            // The first still waits for what the second is answered at once.
            let resolved = try #require(await stage.session.arm(order).value)
            await stage.advance(frames: 3)
            #expect(await stage.session.fire(order.key).report?.owed == [.pairedVideo])
            tone.release.change { $0 = true }
            #expect(await late.value.value == resolved)
            await stage.pass(.milliseconds(1700))
            await stage.recorder.wait(for: order.key) { $0.name == "didFinish" }
            let report = try #require(await stage.spool.report(of: order.key))
            #expect(report.clip?.missingFrames == 0 && report.files.map(\.kind) == [.photo, .pairedVideo])
            #expect(await stage.session.capturesUnderWay == [])
            #expect(await stage.spool.usage().reservedBytes == 0)
        }
    }

    @Test("Counts the frames of a clip when it promises photos")
    func photosBesideClip() async throws {
        let stage = try Stage(
            policy: SessionPolicy(ringByteLimit: try await frameByteCount() * 80), clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 60)
            #expect(await stage.session.arm(stage.order(stage.now, settings: live)).value?.livePhoto != nil)
            var problems: [RigProblem.Code?] = []
            for number in Int64(2)...13 {
                let time = stage.now + .milliseconds(1500 + 200 * number)
                problems.append(await stage.session.arm(stage.order(time, shot: number)).failure?.code)
            }
            #expect(problems.first == .some(nil) && problems.last == .noMemory)
        }
    }

    @Test("Refuses a clip of more frames than a report can name")
    func tooManyFrames() async throws {
        let stage = try Stage()
        let order = stage.order(stage.now, settings: live)
        let frames = (0...LivePhotoMovie.frameLimit).map { number in
            let time = LocalTime(nanoseconds: Int64(number) * 1_000_000)
            return PictureFrame(
                sequence: UInt64(number), midExposure: time, stampBound: .zero, exposure: nil, dequeued: time,
                ready: time, payload: [])
        }
        let capture = ClipInProgress(
            order: order, resolved: Self.resolved,
            plan: ClipPlan(window: frames[0].midExposure...frames[1200].midExposure),
            stillMidExposure: frames[600].midExposure, stage: .recorded, lifeCycle: CaptureLifeCycle(), sender: nil)
        let clip = { (frames: ArraySlice<PictureFrame>) throws(RigProblem) in
            try Clip(
                of: capture, frames: Array(frames), interval: .milliseconds(1),
                start: BoundedRigTime(time: order.time, bound: .zero), settings: [], device: stage.session.device,
                hardware: (nil, nil))
        }
        #expect(try clip(frames.dropLast()).timing.frameOffsets.count == 1200)
        #expect(#expect(throws: RigProblem.self) { try clip(frames[...]) }?.code == .unsupportedSettings)
    }

    private static let resolved = ResolvedPhotoSettings(
        width: 160, height: 120,
        streamFormat: VideoFormat(pixelFormat: .mjpeg, width: 160, height: 120, frameInterval: .milliseconds(1)),
        isCameraEncoded: true, orientation: .degrees0)

    @Test("Keeps the photo when the camera goes away during the clip")
    func lostCamera() async throws {
        let stage = try Stage(clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 50)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: live))
            await stage.pass(.milliseconds(500))
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            let steps = await events.steps()
            #expect(steps.last?.name == "didFinish(deviceLost)")
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.files.map(\.kind) == [.photo] && report.failed.map(\.problem.code) == [.deviceLost])
        }
    }

    @Test(
        "An interruption that is over before the clip begins costs the clip, or one within it leaves a hole in it",
        arguments: [(leadMilliseconds: 5000, isWhole: true), (leadMilliseconds: 2000, isWhole: false)])
    func interruptionBeforeTheStill(leadMilliseconds: Int, isWhole: Bool) async throws {
        let stage = try Stage(clipWriter: writer)
        try await stage.run {
            await stage.start(frames: 60)
            let time = stage.now + .milliseconds(leadMilliseconds)
            let events = try await stage.session.capturePhoto(stage.order(time, settings: live))
            await stage.pass(.milliseconds(1000))
            try stage.camera.faults.inject(VirtualFault(.unplugged))
            await stage.pass(until: .absent)
            stage.camera.faults.clear(.unplugged)
            await stage.pass(until: .running, times: 2)
            await stage.pass(.milliseconds(leadMilliseconds + 800))
            let steps = await events.steps()
            #expect(steps.last?.name == (isWhole ? "didFinish" : "didFinish(deviceLost)"))
            let report = try #require(await stage.spool.report(of: events.id))
            #expect(report.files.map(\.kind) == (isWhole ? [.photo, .pairedVideo] : [.photo]))
            if isWhole { try expectWhole(try #require(report.clip), time, report) }
        }
    }

    @Test("Reports the clip that the end of the node interrupts")
    func shutdown() async throws {
        let stage = try Stage(clipWriter: writer)
        var begun: CaptureEvents?
        try await stage.run {
            await stage.start(frames: 60)
            let events = try await stage.session.capturePhoto(stage.order(stage.now, settings: live))
            begun = events
            await stage.pass(.milliseconds(500))
            await stage.recorder.wait(for: events.id) { $0.name == "didFinishProcessing" }
            #expect(await stage.session.capturesUnderWay == [events.id])
        }
        let events = try #require(begun)
        let steps = await events.steps()
        let report = try #require(await stage.spool.report(of: events.id))
        #expect(report.files.map(\.kind) == [.photo] && report.failed.map(\.problem.code) == [.cancelled])
        #expect(steps.last?.name == "didFinish(cancelled)")
    }
}
