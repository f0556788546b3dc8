import CameraKit
import CaptureModel
import CaptureTestSupport
import ProgramCamera
import RigConfiguration
import SystemClock

@testable import CommandCamera

/// A folder with a picture, and programs that write it.
struct CommandBench: Sendable {
    let place: TemporaryFolder
    let picture: [UInt8]

    init() throws {
        place = try TemporaryFolder()
        picture = try SamplePicture.all(1)[0]
        try place.write(picture, as: "picture.jpg")
    }

    /// A script of `sh`, which runs in the folder of the picture.
    func shell(_ script: String, rate: Double = 50) -> CommandCameraConfiguration {
        CommandCameraConfiguration(run: ["/bin/sh", "-c", "cd '\(place.path)'; \(script)"], framesPerSecond: rate)
    }

    /// A program of Python that tells times: `write(sequence, start, exposure)` writes a picture and its line.
    func python(_ script: String) -> CommandCameraConfiguration {
        let head = """
            import os, sys, time
            picture = open('\(place.path)/picture.jpg', 'rb').read()
            def line(text): os.write(3, (text + '\\n').encode())
            def write(sequence, start, exposure='4000000', gain='2'):
                line(f'{sequence} {start} {exposure} {gain}')
                sys.stdout.buffer.write(picture)
                sys.stdout.buffer.flush()

            """
        return CommandCameraConfiguration(run: ["python3", "-c", head + script], framesPerSecond: 50, times: .fd3)
    }

    /// Pictures at about 50 per second, for as long as anybody reads them.
    static let steady = "while cat picture.jpg; do sleep 0.02; done"

    /// A camera that waits for its first picture as long as a slow machine needs, unless the configuration says less.
    func camera(_ configuration: CommandCameraConfiguration, stamps: StampCorrection = .init()) -> any Camera {
        var configuration = configuration
        if configuration.arrival.startMilliseconds == 10_000 { configuration.arrival.startMilliseconds = 600_000 }
        return ProgramCamera(name: "left", program: configuration.program, stamps: stamps)
    }

    /// Starts a camera and returns why that fails; nil if it does not.
    func refusal(_ configuration: CommandCameraConfiguration) async -> CameraError? {
        do throws(CameraError) {
            await (try await camera(configuration).start(FormatRequest(), clock: SystemTimeSource())).stop()
            return nil
        } catch {
            return error
        }
    }

    /// Why a camera does not start, or its stream ends.
    func failure(_ configuration: CommandCameraConfiguration) async -> CameraError? {
        do throws(CameraError) {
            let stream = try await camera(configuration).start(FormatRequest(), clock: SystemTimeSource())
            for await _ in stream.frames {}
            return stream.failure
        } catch {
            return error
        }
    }

    /// Starts a camera, reads until its stream ends, and returns its frames and why it ended.
    func run(_ configuration: CommandCameraConfiguration) async throws -> (frames: [CameraFrame], any CameraStream) {
        let stream = try await camera(configuration).start(FormatRequest(), clock: SystemTimeSource())
        var frames: [CameraFrame] = []
        for await frame in stream.frames { frames.append(frame) }
        return (frames, stream)
    }
}
