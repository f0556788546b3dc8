import CameraKit
import CaptureModel
import ProgramCamera
import RigConfiguration
import SystemClock
import Testing

@testable import CommandCamera

/// Programs that take the requested format as options.
@Suite("Command camera: several formats", .timeLimit(.minutes(10)))
struct SeveralFormatsTests {
    /// A program with pictures, and with frames of 32 x 16 samples, which writes what its options ask for.
    private func configuration(_ bench: CommandBench) -> CommandCameraConfiguration {
        var configuration = bench.raw(
            """
            import argparse
            parser = argparse.ArgumentParser()
            for name in ('--format', '--width', '--height', '--fps'): parser.add_argument(name)
            asked = parser.parse_args()
            line('offer MJPG 64 64 1 48 48 1 50 50')
            line('offer BA81 32 32 1 16 16 1 5 5')
            number = 0
            while True:
                line(f'{number} {time.monotonic_ns() - 5_000_000} 4000000 -')
                if asked.format == 'BA81':
                    frame(int(float(asked.fps)))
                else:
                    sys.stdout.buffer.write(picture)
                    sys.stdout.buffer.flush()
                number += 1
                time.sleep(1 / float(asked.fps))
            """)
        (configuration.pictures, configuration.times, configuration.format) = (.jpeg, .fd3, .options)
        return configuration
    }

    @Test("Writes pictures, samples when they are requested, and pictures again")
    func switched() async throws {
        let bench = try CommandBench()
        let camera = bench.camera(configuration(bench))
        let samples = FormatRequest(pixelFormat: .bggr8, width: 32, height: 16, framesPerSecond: 5)
        for request in [FormatRequest(), samples, FormatRequest()] {
            let expected = request.pixelFormat ?? .mjpeg
            let stream = try await camera.start(request, clock: SystemTimeSource())
            var first: CameraFrame?
            for await frame in stream.frames {
                first = frame
                break
            }
            await stream.stop()
            let frame = try #require(first)
            #expect(stream.format.pixelFormat == expected)
            switch frame.payload {
            case .jpeg(let lease): #expect(expected == .mjpeg && lease.bytes.prefix(2) == [0xFF, 0xD8])
            case .mosaic(let lease): #expect(expected == .bggr8 && lease.bytes == [UInt8](repeating: 5, count: 512))
            case .planes: Issue.record("neither a picture nor samples")
            }
        }
        let offered = try await camera.capabilities().formats.map(\.pixelFormat)
        #expect(offered == [.mjpeg, .bggr8])
    }

    @Test("Refuses another format than the requested one, and says which there is")
    func refused() async throws {
        let bench = try CommandBench()
        let camera = bench.camera(configuration(bench))
        let request = FormatRequest(pixelFormat: .bggr8, width: 64, height: 16, framesPerSecond: 5)
        await #expect(throws: CameraError.self) { _ = try await camera.start(request, clock: SystemTimeSource()) }
    }

    @Test("Is read and written")
    func configured() throws {
        let yaml = """
            node: arm
            coordinator: tcp://127.0.0.1:7710
            devices:
              - name: front
                purpose: The front
                source: { command: { run: [caprig-libcamera], times: fd3, controls: stdin, format: options } }
            """
        let sources = ([CommandBackend()] as [any CaptureBackend]).sources
        let read = try AgentConfiguration.parse(text: yaml, file: "agent.yaml", sources: sources)
        let source = try #require(read.devices[0].source.configuration as? CommandCameraConfiguration)
        #expect(source.format == .options && source.program.takesFormat)
        let again = try AgentConfiguration.parse(text: try read.yaml(), file: "again.yaml", sources: sources)
        #expect(again.devices[0].source == read.devices[0].source)
        var fixed = source
        fixed.format = nil
        #expect(!fixed.program.takesFormat)
    }
}
