import CaptureModel
import CaptureTestSupport
import Glibc
import Testing

/// A folder in front of an agent's `PATH`, with an encoder that does what a test wants.
struct FakeTools {
    private let folder: TemporaryFolder
    private let processes = ProcessTable()
    private var pipe: String { folder.path + "/began" }

    /// - Parameters:
    ///   - name: The program's.
    ///   - script: For a shell; what it writes to `$BEGAN` ends ``begun()``.
    init(_ name: String, _ script: String) throws {
        folder = try TemporaryFolder()
        let path = try folder.write(Array("#!/bin/sh\n\(script)\n".utf8), as: name)
        guard unsafe chmod(path, 0o755) == 0, unsafe mkfifo(pipe, 0o600) == 0 else {
            throw SystemTestError("no fake tools")
        }
    }

    /// Of an agent that is to use it.
    var environment: [String: String] {
        processes.environment.merging(["PATH": folder.path + ":/usr/bin:/bin", "BEGAN": pipe]) { _, new in new }
    }

    /// Waits until the script has written.
    func begun() async throws {
        _ = try await LivePhotoCheck.tool(["head", "-n", "1", pipe])
    }

    /// Waits until the agent and what it has started have ended.
    func ended() async throws {
        try await processes.waitUntilNoneRuns(within: .seconds(20))
    }
}

extension TestRig {
    /// What a trigger of one camera is answered when the agent was killed while a program encoded, and was started again.
    /// - Parameters:
    ///   - encoder: The program's name. The agent that is killed has one that never ends.
    ///   - asked: What the trigger asks for.
    static func killedWhileEncoding(
        _ encoder: String, _ asked: [String], change: (inout NodePlan.Camera) -> Void = { _ in }
    ) async throws -> (TestRig, ShotAnswer) {
        let tools = try FakeTools(encoder, "echo > \"$BEGAN\"; exec tail -f /dev/null")
        var plans = NodePlan.nodes(1, cameras: 1, change: change)
        plans[0].environment = tools.environment
        let rig = try await TestRig.started(plans)
        if plans[0].cameras[0].isLive { try await rig.awaitRing(reaching: .milliseconds(1500)) }
        let trigger = try rig.startTrigger(asked)
        try await tools.begun()
        try await rig.kill("node1")
        try await tools.ended()
        try await rig.startAgent("node1", environment: [:])
        let outcome = try await Capctl.outcome(of: trigger)
        #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
        return (rig, try outcome.json(ShotAnswer.self))
    }
}

/// Checks clips by what other programs say of them.
enum LivePhotoCheck {
    /// One identifier in still and movie, the still's time in the movie, and a movie that decodes.
    static func expectPaired(_ still: String, _ clip: String) async throws {
        let inStill = try await tool(["exiftool", "-s3", "-Apple:MediaGroupUUID", "-Apple:ContentIdentifier", still])
        let inMovie = try await tool(["exiftool", "-ee", "-s3", "-ContentIdentifier", "-StillImageTime", clip])
        let identifier = inStill.output.split(separator: "\n").first
        #expect(identifier?.count == 36, "\(still): \(inStill.output)\(inStill.errors)")
        #expect(
            inMovie.output.split(separator: "\n") == [identifier, "-1"].compactMap(\.self),
            "\(clip): \(inMovie.output)\(inMovie.errors)")
        let decoded = try await tool(MovieCheck.playing(clip))
        #expect(decoded.status == 0 && decoded.errors.isEmpty, "\(clip): \(decoded.errors)")
    }

    /// The times of its frames as `ffprobe` reads them are those of the manifest, to a tenth of a millisecond; it lasts as
    /// long as was announced, give or take a frame.
    static func expectTimes(_ clip: String, _ capture: Capture) async throws {
        let duration = try await expectFrameTimes(clip, capture)
        let timing = try #require(capture.clip)
        let announced = try #require(capture.resolved?.livePhoto)
        let interval = try #require(capture.resolved).streamFormat.frameInterval.nanoseconds
        let length = Double(announced.preRollNanoseconds + announced.postRollNanoseconds)
        #expect(abs(duration * 1e9 - length) <= Double(interval) * 1.1, "\(clip) lasts \(duration) s")
        #expect(timing.missingFrames == 0, "\(clip) lacks \(timing.missingFrames) frames")
    }

    /// The same of a camera that may have lost frames.
    /// - Returns: How long the clip lasts, seconds.
    @discardableResult
    static func expectFrameTimes(_ clip: String, _ capture: Capture) async throws -> Double {
        let timing = try #require(capture.clip, "\(capture.device.id) tells nothing of its clip")
        let probe = try await tool([
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time:stream=duration",
            "-of",
            "csv=p=0", clip,
        ])
        let figures = probe.output.split(whereSeparator: { $0 == "\n" || $0 == "," }).compactMap { Double($0) }
        let duration = try #require(figures.last, "\(clip): \(probe.errors)")
        let times = figures.dropLast()
        #expect(times.count == timing.frameOffsets.count)
        for (time, offset) in zip(times, timing.frameOffsets) {
            #expect(abs(time * 1e9 - Double(offset)) < 100_000, "\(clip): a frame at \(time) s, told \(offset) ns")
        }
        #expect(!times.isEmpty)
        return duration
    }

    /// The still's frame in the movie has the still's pixels.
    static func expectStillInside(_ still: String, _ clip: String, frame: Int) async throws {
        let inMovie = try await pixels(["-i", clip, "-vf", "select=eq(n\\,\(frame))", "-fps_mode", "passthrough"])
        #expect(try await inMovie == pixels(["-i", still]), "\(clip): frame \(frame) is another picture than \(still)")
    }

    /// A digest of decoded pixels.
    private static func pixels(_ input: [String]) async throws -> String {
        try await tool(
            ["ffmpeg", "-nostdin", "-v", "error"] + input + [
                "-frames:v", "1", "-map", "0:v:0", "-pix_fmt", "gray", "-f", "md5", "-",
            ]
        ).output
    }

    static func tool(_ command: [String]) async throws -> Capctl.Outcome {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(
            command[0], program: "/usr/bin/env", arguments: command, log: folder.path + "/log")
        return try await Capctl.outcome(of: program)
    }
}
