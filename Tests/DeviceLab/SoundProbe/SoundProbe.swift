import ALSAMicrophone
import CameraKit
import CaptureEngine
import CaptureModel
import FoundationEssentials
import Glibc
import Sound
import SystemClock

/// Records a clip from an ALSA microphone as an agent does, for the device lab's cases.
///
///     alsa-probe list
///     alsa-probe DEVICE RATE CHANNELS SECONDS OUTPUT
///
/// Prints a JSON object a line; OUTPUT gets the samples, little-endian.
@main
struct SoundProbe {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["list"] {
            for microphone in MicrophoneListing.ofThisMachine() { try write(microphone) }
            return
        }
        guard arguments.count == 5, let rate = Int(arguments[1]), let channels = Int(arguments[2]),
            let seconds = Int(arguments[3]), (1...600).contains(seconds)
        else {
            print(#"{"event":"usage"}"#)
            exit(64)
        }
        let request = AudioFormatRequest(sampleRate: rate, channels: channels)
        let isDone = try await record(arguments[0], request, for: .seconds(seconds), to: arguments[4])
        exit(isDone ? 0 : 1)
    }

    /// - Returns: Whether the microphone ran at all.
    private static func record(
        _ device: String, _ request: AudioFormatRequest, for length: Duration, to path: String
    ) async throws -> Bool {
        let clock = SystemTimeSource()
        let (changes, change) = AsyncStream.makeStream(of: StateLine.self)
        let session = SoundSession(
            device: DeviceDescription(
                id: try DeviceID("lab/probe"), mediaType: .audio, type: .microphone, driver: "alsa"),
            microphone: ALSAMicrophone(name: "probe", device: device), format: request, clock: clock
        ) { state, reason in change.yield(StateLine(state: state, reason: reason)) }
        let running = Task { await session.run() }
        defer { running.cancel() }
        await session.need(.listening)
        for await line in changes where line.state != .starting {
            try write(line)
            guard line.state == .running else { return false }
            break
        }
        let start = clock.now() + .milliseconds(500)
        try write(["event": "recording"])
        let clip = await session.sound(in: start...start + length)
        try Data(clip.bytes).write(to: URL(filePath: path))
        try write(ClipLine(clip, counters: await session.condition.counters))
        await session.release(.listening)
        return true
    }

    private static func write(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
        fflush(nil)
    }
}

/// A change of the session's state.
private struct StateLine: Encodable {
    var state: DeviceCondition.State
    var reason: String?
}

/// What became of the clip.
private struct ClipLine: Encodable {
    struct Gap: Encodable {
        var first: Int
        var count: Int
        var cause: SoundGap.Cause
    }

    var frames: Int
    var sampleRate: Int
    var channels: Int
    var measuredRate: Double?
    var measuredRateBound: Double?
    var boundNanoseconds: Int64
    var gaps: [Gap]
    var problem: String?
    var counters: FrameCounters

    init(_ clip: SoundClip, counters: FrameCounters) {
        frames = clip.frameCount
        (sampleRate, channels) = (clip.format.sampleRate, clip.format.channels)
        measuredRate = clip.measuredRate
        measuredRateBound = clip.measuredRateBound
        boundNanoseconds = clip.bound.nanoseconds
        gaps = clip.gaps.map { Gap(first: $0.frames.lowerBound, count: $0.frames.count, cause: $0.cause) }
        problem = clip.problem
        self.counters = counters
    }
}
