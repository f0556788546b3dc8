import CameraConformance
import CameraKit
import CaptureModel
import CaptureTestSupport
import Glibc
import PosixSupport
import RigConfiguration
import SystemClock
import Testing

@testable import CommandCamera

/// Each check is a separate test, whose name says what would be wrong.
@Suite("As any camera: command", .timeLimit(.minutes(10)))
struct CommandConformanceTests {
    @Test("A program that writes pictures", arguments: ConformanceCheck.allCases)
    func check(_ check: ConformanceCheck) async throws {
        let bench = try CommandBench()
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg), clock: SystemTimeSource(),
            makeCamera: { bench.camera(bench.shell(CommandBench.steady)) },
            makeOther: { bench.camera(bench.shell(CommandBench.steady)) })
        try await conformance.run(check)
    }

    @Test("A program that tells times", arguments: [ConformanceCheck.orderedFrames, .trueInstants, .countedLosses])
    func timed(_ check: ConformanceCheck) async throws {
        let bench = try CommandBench()
        let configuration = bench.python(
            """
            number = 0
            while True:
                write(number, time.monotonic_ns() - 10_000_000)
                number += 1
                time.sleep(0.02)
            """)
        let conformance = CameraConformance(
            request: FormatRequest(pixelFormat: .mjpeg), clock: SystemTimeSource(),
            makeCamera: { bench.camera(configuration) })
        try await conformance.run(check)
    }
}

@Suite("Command camera: programs", .timeLimit(.minutes(10)))
struct CommandCameraTests {
    @Test("Names a missing program and one that may not be run, and says what to do")
    func missing() async throws {
        let bench = try CommandBench()
        var configuration = CommandCameraConfiguration(run: ["no-such-program-anywhere"])
        let missing = await bench.refusal(configuration)
        #expect(missing?.code == .absent)
        #expect(missing?.reason.contains("no-such-program-anywhere") == true)
        #expect(missing?.reason.contains("install it") == true)
        #expect(await bench.camera(configuration).authorization() == .notDetermined)
        configuration.run = [bench.place.path + "/picture.jpg"]
        let forbidden = await bench.refusal(configuration)
        #expect(forbidden?.code == .denied)
        #expect(await bench.camera(configuration).authorization() == .denied)
        #expect(await bench.camera(configuration).authorizationRemedy()?.contains("run it") == true)
    }

    @Test("Says with which status a program ended before its first picture, and its last words")
    func tooEarly() async throws {
        let bench = try CommandBench()
        let error = await bench.refusal(bench.shell("echo 'no camera on CSI' >&2; exit 3"))
        #expect(error?.code == .failed)
        #expect(error?.reason.contains("ended with status 3") == true)
        #expect(error?.reason.contains("no camera on CSI") == true)
    }

    @Test("Fails when the program ends or dies, after its pictures")
    func ended() async throws {
        let bench = try CommandBench()
        let (frames, stream) = try await bench.run(bench.shell("cat picture.jpg picture.jpg picture.jpg; exit 5"))
        #expect(frames.map(\.sequence) == [0, 1, 2])
        #expect(frames.allSatisfy { $0.lease.bytes == bench.picture })
        #expect(stream.failure?.reason.contains("ended with status 5") == true)
        let (_, killed) = try await bench.run(bench.shell("cat picture.jpg; kill -9 $$"))
        #expect(killed.failure?.reason.contains("was ended by signal 9") == true)
    }

    @Test("Counts half a picture at the end as torn")
    func half() async throws {
        let bench = try CommandBench()
        let (frames, stream) = try await bench.run(bench.shell("cat picture.jpg; head -c 200 picture.jpg"))
        #expect(frames.count == 1 && stream.losses.torn == 1)
    }

    @Test("Counts each picture that comes before anybody reads, kept or lost")
    func early() async throws {
        let bench = try CommandBench()
        try bench.place.write(Array(repeating: bench.picture, count: 9).flatMap { $0 }, as: "nine.jpg")
        let (frames, stream) = try await bench.run(bench.shell("cat nine.jpg"))
        #expect(!frames.isEmpty && UInt64(frames.count) + stream.losses.droppedByNode == 9)
    }

    @Test("Gives up a program that writes no picture within its time")
    func silent() async throws {
        let bench = try CommandBench()
        var configuration = bench.shell("exec sleep 1000")
        configuration.arrival.startMilliseconds = 150
        #expect(await bench.refusal(configuration)?.reason.contains("no JPEG picture within") == true)
    }

    @Test("Refuses a program that writes anything but pictures, or far too much")
    func floods() async throws {
        let bench = try CommandBench()
        let nothing = await bench.failure(bench.shell("cat picture.jpg; exec cat /dev/zero"))
        #expect(nothing?.reason.contains("without a JPEG") == true, "\(String(describing: nothing))")
        let many = String(repeating: "picture.jpg ", count: 200)
        let tiny = await bench.failure(bench.shell("while cat \(many); do :; done"))
        #expect(tiny?.reason.contains("framesPerSecond") == true, "\(String(describing: tiny))")
        let closed = await bench.failure(bench.shell("cat picture.jpg; exec sleep 1000 >&2"))
        #expect(closed?.reason.contains("closed its output") == true)
        let loud = await bench.failure(bench.shell("cat picture.jpg; yes problem >&2"))
        #expect(loud?.reason.contains("standard error") == true, "\(String(describing: loud))")
    }

    @Test("Bounds the memory of a picture without an end")
    func endless() async throws {
        let bench = try CommandBench()
        let (frames, stream) = try await bench.run(
            bench.shell(
                "cat picture.jpg; head -c 400 picture.jpg; head -c 70000000 /dev/zero | tr '\\0' U; cat picture.jpg"))
        #expect(frames.count == 2 && stream.losses.torn == 1)
    }

    @Test("Ends a program that ignores being asked to, and what it has started")
    func stubborn() async throws {
        let bench = try CommandBench()
        let script = "trap '' TERM; sleep 1000 & echo $$ $! >pids; \(CommandBench.steady)"
        let stream = try await bench.camera(bench.shell(script)).start(FormatRequest(), clock: SystemTimeSource())
        await stream.stop()
        let ids = try String(decoding: bench.place.read("pids"), as: UTF8.self).split { $0.isWhitespace }
        #expect(ids.count == 2)
        for id in ids.compactMap({ Int32($0) }) {
            // An orphan is reaped by the system, which may take a moment.
            while kill(id, 0) == 0, try !bench.isZombie(id) { try await yield() }
        }
        #expect(stream.failure == nil)
    }

    @Test("Leaves no descriptor and no child, whatever ends a program")
    func leaks() async throws {
        let bench = try CommandBench()
        let configurations = [
            bench.shell(CommandBench.steady), bench.shell("cat picture.jpg"), bench.shell("exit 1"),
            CommandCameraConfiguration(run: ["no-such-program-anywhere"]),
        ]
        for configuration in configurations { _ = await bench.refusal(configuration) }
        let before = try Holdings()
        for _ in 0..<5 {
            for configuration in configurations { _ = await bench.refusal(configuration) }
        }
        // The descriptors of a thread are closed when it ends, shortly after its camera is free.
        try await before.awaitNoMore()
    }

    /// Lets others run; a wait that never ends is ended by the suite's time limit.
    private func yield() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    @Test("Runs a program without a shell, with nothing on its standard input")
    func words() async throws {
        let bench = try CommandBench()
        let script = "read line && exit 7; [ \"$1\" = '$HOME; x' ] || exit 8; cd \"$0\"; \(CommandBench.steady)"
        let configuration = CommandCameraConfiguration(run: ["sh", "-c", script, bench.place.path, "$HOME; x"])
        #expect(await bench.refusal(configuration) == nil)
    }

    @Test("Reads multipart pictures of ffmpeg")
    func ffmpeg() async throws {
        let bench = try CommandBench()
        let run = [
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=25", "-frames:v", "6", "-f",
            "mpjpeg", "-",
        ]
        let (frames, stream) = try await bench.run(CommandCameraConfiguration(run: run, framesPerSecond: 25))
        #expect(stream.format.width == 160 && stream.format.height == 120)
        #expect(!frames.isEmpty && UInt64(frames.count) + stream.losses.droppedByNode == 6)
    }
}

extension CommandBench {
    fileprivate func isZombie(_ id: Int32) throws -> Bool {
        let path = "/proc/\(id)/stat"
        guard let text = try? String(decoding: OpenFile(opening: path).read(at: 0, count: 512), as: UTF8.self) else {
            return true
        }
        return text.contains(") Z ")
    }
}
