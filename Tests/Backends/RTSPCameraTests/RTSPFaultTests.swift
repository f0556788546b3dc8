import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import RigConfiguration
import SystemClock
import Testing

@testable import RTSPCamera

@Suite("RTSP camera: faults", .timeLimit(.minutes(30)))
struct RTSPFaultTests {
    private let clock = SystemTimeSource()

    @Test("Fails when the camera dies, is absent until it is back, and runs again then")
    func died() async throws {
        let first = try NetworkCamera(["--keys", "5"])
        let camera = RTSPCamera(try first.configuration())
        let (_, stream) = try await camera.frames(2, clock: clock)
        first.die()
        for await _ in stream.frames {}
        #expect(stream.failure?.code == .failed)
        #expect(stream.failure?.reason.contains("rtsp://127.0.0.1") == true)
        #expect(await camera.refusal(clock: clock)?.code == .absent)
        let second = try NetworkCamera(["--keys", "5"], port: first.port)
        let (frames, again) = try await camera.frames(2, clock: clock)
        #expect(frames.count == 2)
        await again.stop()
        second.die()
    }

    @Test("Stops a stream of a camera that hangs, and gives up one that does not answer")
    func hangs() async throws {
        let server = try NetworkCamera(["--keys", "5"])
        var configuration = try server.configuration()
        let (_, stream) = try await RTSPCamera(configuration).frames(2, clock: clock)
        server.signal(SIGSTOP)
        await stream.stop()
        #expect(stream.failure == nil)
        configuration.arrival.startMilliseconds = 300
        let error = await RTSPCamera(configuration).refusal(clock: clock)
        #expect(error?.code == .absent && error?.reason.contains("not answered within") == true)
        server.signal(SIGCONT)
        #expect(await RTSPCamera(try server.configuration()).refusal(clock: clock) == nil)
    }

    @Test("Ends with the camera's stream")
    func ended() async throws {
        let server = try NetworkCamera(["--frames", "40", "--keys", "5"])
        let stream = try await RTSPCamera(server.configuration()).start(FormatRequest(), clock: clock)
        for await _ in stream.frames {}
        #expect(stream.failure?.reason.contains("ended the stream") == true, "\(String(describing: stream.failure))")
    }

    @Test(
        "Passes on no picture of which a packet is missing, nor one that builds on such a picture, and counts them",
        arguments: TestExtent.some(1, of: [("h264", "udp"), ("h264", "tcp"), ("h265", "tcp")]))
    func loss(codec: String, transport: String) async throws {
        let server = try NetworkCamera(["--codec", codec, "--keys", "10", "--loss", "0.05"])
        let configuration = try server.configuration(transport: transport == "udp" ? .udp : .tcp)
        let stream = try await RTSPCamera(configuration).start(FormatRequest(), clock: clock)
        var count = 0
        for await frame in stream.frames {
            count += 1
            // A mixture of two pictures would have another time, or squares that are neither black nor white.
            #expect(try NetworkCamera.isClean(frame))
            let truth = try NetworkCamera.truth(frame)
            #expect((truth - frame.midExposure).magnitude <= frame.stampBound)
            if count >= 40, stream.losses.torn >= 10 { break }
        }
        await stream.stop()
        #expect(stream.losses.torn >= 10 && count >= 40)
    }

    @Test(
        "Delivers true pictures again after each of a hundred random faults: a server that is killed or silent, lost packets",
        .enabled(if: !TestExtent.isQuick, "each fault takes seconds"))
    func random() async throws {
        var generator = SeededGenerator(seed: 29)
        var server = try NetworkCamera(["--keys", "5"])
        #expect(await RTSPCamera(try server.configuration()).refusal(clock: clock) == nil)
        let before = try Holdings()
        for _ in 0..<100 {
            let transport: RTSPCameraConfiguration.Transport = Bool.random(using: &generator) ? .tcp : .udp
            let loss = Bool.random(using: &generator) ? ["--loss", "0.05"] : []
            // The camera is turned off and on.
            server.die()
            server = try NetworkCamera(["--keys", "5"] + loss, port: server.port)
            let camera = RTSPCamera(try server.configuration(transport: transport))
            let (frames, stream) = try await camera.frames(5, clock: clock)
            for frame in frames {
                #expect(try NetworkCamera.isClean(frame))
                #expect((try NetworkCamera.truth(frame) - frame.midExposure).magnitude <= frame.stampBound)
            }
            switch Int.random(in: 0..<3, using: &generator) {
            case 0 where transport == .tcp:
                server.die()
                for await _ in stream.frames {}
                #expect(stream.failure?.reason.isEmpty == false)
            case 1: server.signal(SIGSTOP)
            default: break
            }
            await stream.stop()
        }
        // The descriptors of a thread are closed when it ends, shortly after its camera is free.
        try await before.awaitNoMore()
        #expect(try before.growth() < Holdings.usualGrowth)
    }

    @Test("Decodes no other pixels than those of 8 bits and 4:2:0, and says what to change")
    func chroma() async throws {
        let server = try NetworkCamera(["--format", "Y444"])
        let error = await RTSPCamera(try server.configuration()).refusal(clock: clock)
        #expect(error?.code == .unsupportedFormat && error?.reason.contains("4:2:0") == true)
    }

    @Test(
        "Survives whatever a camera sends, and leaves no descriptor",
        arguments: TestExtent.some(1, of: [1000, 2000, 3000, 4000, 5000]))
    func hostile(seed: Int) async throws {
        let server = try NetworkCamera.hostile(seed: seed)
        var configuration = try server.configuration()
        configuration.arrival.startMilliseconds = 500
        let camera = RTSPCamera(configuration)
        _ = await camera.refusal(clock: clock)
        let before = try Holdings()
        for _ in 0..<20 {
            guard let stream = try? await camera.start(FormatRequest(), clock: clock) else { continue }
            for await _ in stream.frames {}
            #expect(stream.failure != nil)
        }
        // The descriptors of a thread are closed when it ends, shortly after its camera is free.
        try await before.awaitNoMore()
        #expect(try before.growth() < Holdings.usualGrowth)
    }
}

extension NetworkCamera {
    /// Whether the squares of a picture are black or white, and the rest is gray.
    static func isClean(_ frame: CameraFrame) throws -> Bool {
        let luma = frame.lease.bytes
        return (0..<height / 16 * (width / 16)).allSatisfy { square in
            let (x, y) = (square % (width / 16) * 16 + 8, square / (width / 16) * 16 + 8)
            let value = Int(luma[y * width + x])
            return square < 56 ? abs(value - 16) < 40 || abs(value - 235) < 40 : abs(value - 128) < 40
        }
    }
}
