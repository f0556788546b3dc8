import CameraConformance
import CameraKit
import CaptureModel
import CaptureTestSupport
import SystemClock
import Testing

@testable import CommandCamera

extension CommandBench {
    /// A program of Python that writes raw frames: `frame(value)` writes one of ``rawHeader`` whose bytes are `value`.
    func raw(_ script: String) -> CommandCameraConfiguration {
        let head = """
            def frame(value, header='frame BA81 32 16 512 full'):
                sys.stdout.buffer.write(header.encode() + b'\\n' + bytes([value % 256]) * 512)
                sys.stdout.buffer.flush()

            """
        var configuration = python(head + script)
        configuration.pictures = .raw
        configuration.times = nil
        return configuration
    }

    /// Raw frames at about 50 per second, for as long as anybody reads them.
    static let steadyRaw = "value = 0\nwhile True:\n    frame(value)\n    value += 1\n    time.sleep(0.02)"
}

@Suite("As any camera: a program that writes raw frames", .timeLimit(.minutes(10)))
struct RawConformanceTests {
    @Test("Keeps each promise", arguments: ConformanceCheck.allCases)
    func check(_ check: ConformanceCheck) async throws {
        let bench = try CommandBench()
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .bggr8), clock: SystemTimeSource(),
            makeCamera: { bench.camera(bench.raw(CommandBench.steadyRaw)) },
            makeOther: { bench.camera(bench.raw(CommandBench.steadyRaw)) })
        try await conformance.run(check)
    }
}

@Suite("Command camera: raw frames", .timeLimit(.minutes(10)))
struct RawFramesTests {
    @Test("Delivers a program's frames in their pixel format, as a camera of V4L2 does")
    func delivered() async throws {
        let bench = try CommandBench()
        let (frames, stream) = try await bench.run(bench.raw("for value in (1, 2, 3): frame(value)"))
        #expect(stream.format.pixelFormat == .bggr8 && stream.format.width == 32 && stream.format.height == 16)
        #expect(frames.map(\.sequence) == [0, 1, 2] && stream.losses.torn == 0)
        #expect(frames.map { $0.lease.bytes.first } == [1, 2, 3])
        #expect(frames.allSatisfy { if case .mosaic(let lease) = $0.payload { lease.byteCount == 512 } else { false } })
    }

    @Test("States the range of the samples")
    func range() async throws {
        let bench = try CommandBench()
        let script = "frame(1, 'frame YUYV 16 16 512 limited')"
        let (frames, stream) = try await bench.run(bench.raw(script))
        #expect(stream.sampleRange == .limited && frames.count == 1)
        let (_, full) = try await bench.run(bench.raw("frame(1)"))
        #expect(full.sampleRange == .full)
    }

    @Test("Stamps frames with the times that the program tells, and takes its hardware and formats")
    func told() async throws {
        let bench = try CommandBench()
        var configuration = bench.raw(
            """
            line('hardware make Acme')
            line('hardware serial 7')
            line('offer BA81 32 64 16 16 48 1 1 50')
            start = time.monotonic_ns() - 100_000_000
            for number in (7, 8, 11):
                line(f'{number} {start + number * 1_000_000} 4000000 - 250000')
                frame(number)
            """)
        configuration.times = .fd3
        let (frames, stream) = try await bench.run(configuration)
        #expect(frames.map(\.sequence) == [7, 8, 11] && stream.losses.droppedByDevice == 2)
        #expect(stream.hardware.make == "Acme" && stream.hardware.serial == "7")
        #expect(frames.allSatisfy { $0.exposure == .milliseconds(4) })
        #expect(frames[1].midExposure - frames[0].midExposure == .milliseconds(1))
    }

    @Test("A program that drives a color sensor delivers its samples, with the colors that it tells of each frame")
    func sensor() async throws {
        let bench = try CommandBench()
        var configuration = bench.raw(
            """
            line('hardware model imx708')
            line('control analogue_gain integer 1000 16000 1 1000 1000 inactive -')
            start = time.monotonic_ns() - 100_000_000
            for number in (3, 4, 6):
                if number == 3: line('color 64 2,1.6 1.8,-0.6,-0.2,-0.3,1.6,-0.3,0.1,-0.7,1.6')
                if number == 6: line('color 64 2.5,1.25 -')
                line(f'{number} {start + number * 1_000_000} 4000000 1000')
                sys.stdout.buffer.write(b'frame pRAA 32 16 640 full\\n' + bytes([number]) * 640)
                sys.stdout.buffer.flush()
            """)
        (configuration.times, configuration.controls) = (.fd3, .stdin)
        let (frames, stream) = try await bench.run(configuration)
        #expect(stream.format.pixelFormat == .rggb10Packed && stream.hardware.model == "imx708")
        #expect(frames.map(\.sequence) == [3, 4, 6] && stream.losses.droppedByDevice == 1)
        #expect(frames.allSatisfy { if case .mosaic(let lease) = $0.payload { lease.byteCount == 640 } else { false } })
        #expect(frames.map { $0.sensorColor?.blackLevel } == [64, 64, 64])
        #expect(frames.map { $0.sensorColor?.asShotNeutral } == [[0.5, 1, 0.625], [0.5, 1, 0.625], [0.4, 1, 0.8]])
        #expect(frames.map { $0.sensorColor?.colorMatrix == nil } == [false, false, true])
    }

    @Test("Refuses colors that no camera has, since later frames would have those of others")
    func wrongColors() async throws {
        let bench = try CommandBench()
        var configuration = bench.raw("line('color 64 0,1.6 -'); time.sleep(1000)")
        configuration.times = .fd3
        let failure = await bench.failure(configuration)
        #expect(failure?.reason.contains("color BLACK RED,BLUE MATRIX") == true, "\(String(describing: failure))")
    }

    @Test("What a program says of its failure is the camera's, with its kind")
    func failed() async throws {
        let bench = try CommandBench()
        var configuration = bench.raw("line('failed busy another program controls the camera'); sys.exit(1)")
        configuration.times = .fd3
        let refusal = await bench.refusal(configuration)
        #expect(refusal?.code == .busy && refusal?.reason == "another program controls the camera")
        configuration = bench.raw(
            """
            line(f'0 {time.monotonic_ns() - 10_000_000} - -')
            frame(1)
            line('failed absent the camera does not answer')
            time.sleep(1000)
            """)
        configuration.times = .fd3
        let lost = await bench.failure(configuration)
        #expect(lost?.code == .absent && lost?.reason.contains("does not answer") == true)
    }

    @Test(
        "Refuses a program that writes anything but frames of one format",
        arguments: [
            ("sys.stdout.buffer.write(picture); sys.stdout.buffer.flush(); time.sleep(1000)", "header"),
            ("frame(1); frame(2, 'frame RGGB 32 16 512 full'); time.sleep(1000)", "another format"),
            ("frame(1, 'frame BA81 32 16 513 full'); time.sleep(1000)", "has 512 bytes, not 513"),
            ("frame(1, 'frame RG16 60000 60000 7200000000 full'); time.sleep(1000)", "are not read"),
            ("frame(1, 'frame H264 32 16 512 full'); time.sleep(1000)", "'H264'"),
            ("sys.stdout.buffer.write(bytes(1000)); sys.stdout.buffer.flush(); time.sleep(1000)", "64 bytes"),
            ("while True: frame(1)", "framesPerSecond"),
        ])
    func hostile(script: String, reason: String) async throws {
        let bench = try CommandBench()
        let failure = await bench.failure(bench.raw(script))
        #expect(failure?.reason.contains(reason) == true, "\(String(describing: failure))")
    }

    @Test("Counts half a frame at the end as torn")
    func half() async throws {
        let bench = try CommandBench()
        let script = "frame(1)\nsys.stdout.buffer.write(b'frame BA81 32 16 512 full\\n' + bytes(100))"
        let (frames, stream) = try await bench.run(bench.raw(script))
        #expect(frames.count == 1 && stream.losses.torn == 1)
    }

    @Test("Survives a hundred random faults of a program, and says of each what it was")
    func faults() async throws {
        let bench = try CommandBench()
        var generator = SeededGenerator(seed: 43)
        var reasons: Set<String> = []
        _ = await bench.failure(bench.raw("frame(1)"))
        let before = try Holdings()
        for _ in 0..<(TestExtent.isQuick ? 10 : 100) {
            let fault =
                [
                    "os._exit(%d)", "os.kill(os.getpid(), 9)", "sys.stdout.buffer.write(bytes(%d))", "os.close(1)",
                    "line('x' * %d)", "line('%d 5 - -')", "frame(1, 'frame BA81 32 %d 512 full')", "os.close(3)",
                ].randomElement(using: &generator) ?? ""
            let number = Int.random(in: 0...600, using: &generator)
            var configuration = bench.raw(
                """
                for number in range(\(Int.random(in: 0...3, using: &generator))):
                    line(f'{number} {time.monotonic_ns() - 10_000_000} - -')
                    frame(number)
                \(fault.replacing("%d", with: "\(number)"))
                sys.stdout.flush()
                """)
            configuration.times = .fd3
            let failure = try #require(await bench.failure(configuration), "\(fault) \(number)")
            #expect(!failure.reason.isEmpty)
            reasons.insert(failure.reason)
        }
        #expect(reasons.count > 5)
        try await before.awaitNoMore()
        #expect(try before.growth() < Holdings.usualGrowth)
    }
}
