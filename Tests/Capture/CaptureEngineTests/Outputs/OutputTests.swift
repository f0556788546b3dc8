import CaptureEngine
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing
import TimeCode
import TurboJPEG
import VirtualDevices

@Suite(.timeLimit(.minutes(10))) struct OutputTests {
    private let scaler: FrameScaler

    init() throws {
        scaler = FrameScaler(executor: try ThreadExecutor(name: "preview"))
    }

    private func stage() throws -> Stage {
        try Stage { ($0.width, $0.height) = (640, 360) }
    }

    @Test("Makes previews only while somebody watches")
    func unwatched() async throws {
        let stage = try stage()
        let output = PreviewOutput(settings: .init(maximumWidth: 320, maximumHeight: 180), scaler: scaler)
        try await stage.run {
            await stage.start(frames: 10)
            #expect(stage.session.outputs.count == 0)
            stage.session.outputs.attach(output)
            stage.session.outputs.attach(output)
            #expect(stage.session.outputs.count == 1)
            await stage.advance(frames: 1)
            #expect(await output.next() != nil)
            #expect(scaler.scaledCount == 1, "none of the frames before it was watched for")
            stage.session.outputs.detach(output)
            await stage.advance(frames: 5)
        }
        output.close()
        #expect(await output.next() == nil)
        #expect(scaler.scaledCount == 1)
    }

    @Test("Gives a preview the stamps of its pixels and the requested size")
    func preview() async throws {
        let stage = try stage()
        let output = PreviewOutput(settings: .init(maximumWidth: 320, maximumHeight: 180), scaler: scaler)
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            await stage.advance(frames: 1)
            let first = try #require(await output.next())
            #expect((first.width, first.height) == (320, 180))
            #expect(first.orientation == stage.session.device.orientation)
            try expectTimeCode(of: first, stage)

            await stage.advance(frames: 4)
            let newest = try #require(await output.next())
            #expect(newest.frame.sequence == first.frame.sequence + 4, "the newest frame wins")
            #expect(newest.drops.superseded == 3 && newest.drops.total == 3)
            try expectTimeCode(of: newest, stage)
        }
    }

    @Test("Stretches a preview to exactly the requested size", arguments: [(300, 300), (1000, 90)])
    func stretched(width: Int, height: Int) async throws {
        let stage = try stage()
        let settings = PreviewOutput.Settings(maximumWidth: width, maximumHeight: height, gravity: .resize)
        let output = PreviewOutput(settings: settings, scaler: scaler)
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            await stage.advance(frames: 1)
            let frame = try #require(await output.next())
            #expect((frame.width, frame.height) == (width, height))
            let picture = try JPEGDecoder().verify(frame.frame.jpeg)
            #expect((picture.width, picture.height) == (width, height))
            #expect(frame.drops.total == 0)
        }
    }

    @Test("Delivers full frames with the ring's bytes")
    func full() async throws {
        let stage = try stage()
        let output = VideoDataOutput()
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            await stage.advance(frames: 1)
            let frame = try #require(await output.next())
            #expect((frame.width, frame.height) == (640, 360))
            #expect(try JPEGDecoder().header(of: frame.frame.jpeg).width == 640)
            try expectTimeCode(of: frame, stage)
            #expect(scaler.scaledCount == 0)
        }
    }

    @Test("Stops the frames of a disabled connection, and keeps the camera open")
    func disabled() async throws {
        let stage = try stage()
        let (preview, full) = (PreviewOutput(scaler: scaler), VideoDataOutput())
        try await stage.run {
            await stage.start()
            for output in [preview, full] as [any FrameOutput] { stage.session.outputs.attach(output) }
            var configuration = stage.session.beginConfiguration()
            configuration.setEnabled(false, .videoData)
            try await stage.session.commitConfiguration(configuration)
            await stage.advance(frames: 3)
            #expect(try #require(await preview.next()).drops.superseded == 2)
            configuration = stage.session.beginConfiguration()
            configuration.setEnabled(true, .videoData)
            try await stage.session.commitConfiguration(configuration)
            await stage.advance(frames: 1)
            #expect(try #require(await full.next()).drops.superseded == 0, "none came while it was off")
            #expect(await stage.session.condition.state == .running)
        }
    }

    @Test("Shows previews in the orientation of the pictures")
    func turnedLive() async throws {
        let stage = try stage()
        let output = PreviewOutput(scaler: scaler)
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            let early = stage.order(stage.now + .seconds(1), shot: 1)
            let resolved = try await stage.session.arm(early).get()
            #expect(resolved.orientation == .degrees0 && resolved.mirrored == nil)
            await stage.advance(frames: 1)
            #expect(try #require(await output.next()).isMirrored == false)
            var configuration = stage.session.beginConfiguration()
            configuration.setOrientation(.degrees270)
            configuration.setVideoMirrored(true)
            let changes = try await stage.session.commitConfiguration(configuration)
            #expect(
                changes == ["orientation: 0 degrees → 270 degrees", "mirroring: none → left and right exchanged"])
            await stage.advance(frames: 1)
            let frame = try #require(await output.next())
            #expect(frame.orientation == .degrees270 && frame.isMirrored)
            let later = try await stage.session.arm(stage.order(stage.now, shot: 2)).get()
            #expect(later.orientation == .degrees270 && later.mirrored == true)
            #expect(try await stage.session.arm(early).get() == resolved, "taken when it was armed")
            #expect(stage.session.device.mirrored == true)
            #expect(stage.recorder.states.count { $0 == .running } == 1, "the camera was not closed for that")
        }
    }

    @Test("Passes the frames of a small camera on without encoding them again")
    func smallEnough() async throws {
        let stage = try stage()
        let output = PreviewOutput(scaler: scaler)
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            await stage.advance(frames: 1)
            let frame = try #require(await output.next())
            #expect(frame.width == 640)
            #expect(scaler.scaledCount == 0)
        }
    }

    @Test("Reports the frames that a camera loses")
    func drops() async throws {
        let stage = try stage()
        let output = VideoDataOutput(scale: .half, quality: 75, scaler: scaler)
        try await stage.run {
            await stage.start()
            stage.session.outputs.attach(output)
            await stage.advance(frames: 1)
            _ = await output.next()
            try stage.camera.faults.inject(VirtualFault(.torn, count: 2))
            await stage.advance(frames: 3)
            let frame = try #require(await output.next())
            #expect(frame.drops.beforeOutput == 2 && frame.drops.superseded == 0)
        }
    }

    /// The pixels show the exposure that the stamps say.
    private func expectTimeCode(of frame: OutputFrame, _ stage: Stage) throws {
        let pair = stage.clock.wallClockPair()
        let expected = pair.realtimeNanoseconds(at: frame.frame.midExposure)
        let error = Duration.nanoseconds(try timeCode(of: frame.frame.jpeg).realtimeNanoseconds - expected)
        #expect(abs(error.nanoseconds) <= frame.frame.stampBound.nanoseconds)
    }
}
