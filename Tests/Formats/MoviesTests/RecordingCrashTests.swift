import CaptureTestSupport
import Foundation
import Glibc
import Movies
import PosixSupport
import Testing

/// Processes that are killed while they record.
@Suite(.enabled(if: Probe.isPossible), .serialized) struct RecordingCrashTests {
    /// Where the recording process notes the time of the last frame it has handed over; read after its end.
    private static let progress = "progress"

    @Test(arguments: 0..<20) func `a recording whose process is killed is lost, or more than its end is`(_ round: Int)
        async throws
    {
        let temporary = try TemporaryFolder()
        let path = temporary.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
            try Self.recordUntilKilled(in: path, round: round)
        }
        let folder = try Folder(opening: path)
        let note = String(decoding: try temporary.read(Self.progress), as: UTF8.self)
        let handedOver = try #require(Double(note.prefix { $0 != " " }))
        let isUnfinished = try temporary.names().contains("left-001.recording.mov")
        if isUnfinished {
            // As it lies there, before anything mends it.
            let played = try Probe.readableTimes(of: path + "/left-001.recording.mov")
            #expect((played.last ?? 0) >= handedOver - 1.5, "\(played.count) frames before the kill")
        }
        switch RecordingFinisher.recover("left-001", in: folder) {
        case .finished, nil: break
        case let outcome?: Issue.record("\(outcome)")
        }
        // Killed before the first fragment was whole, a recording has nothing.
        let movie = path + "/left-001.mov"
        let times = try Probe.times(of: movie)
        #expect((times.last ?? 0) >= handedOver - 1.5, "\(times.count) frames after recovery")
        #expect(try Probe.complaints(about: movie) == "")
        let lines = try temporary.read("left-001.frames.jsonl").split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == times.count + 1)
        #expect(try temporary.names() == ["left-001.frames.jsonl", "left-001.mov", Self.progress])
    }

    /// Records frames as fast as they are written, and at a random moment has a thread of its own kill the process.
    private static func recordUntilKilled(in path: String, round: Int) throws {
        let folder = try Folder(opening: path)
        let progress = try folder.open(Self.progress, for: .writing)
        var generator = SeededGenerator(seed: UInt64(round) &* 7919 &+ 1)
        let victim = Int.random(in: 40...600, using: &generator)
        // Every third process is killed while it finishes, the others while they record.
        let isFinishing = round.isMultiple(of: 3)
        let pause = UInt32.random(in: 0...(isFinishing ? 80_000 : 5000), using: &generator)
        let begun = try EventFlag()
        let killer = try NamedThread(name: "killer") {
            begun.wait()
            // Some time after the frame, so that the kill falls into any part of the work on the following ones.
            usleep(pause)
            kill(getpid(), SIGKILL)
        }
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format(sound: true))
        for number in 0..<Int.max {
            let time = Int64(number) * 3000
            if try recorder.write(RecordingSample.frame(number, at: time)) {
                let text = String(Double(time) / 90_000)
                let note = text + String(repeating: " ", count: 20 - text.count)
                try progress.write(Array(note.utf8).span, at: 0)
            }
            try recorder.write(sound: RecordingSample.sound(number), at: Int64(number) * 1600)
            if number == victim { begun.signal() }
            if number == victim, isFinishing {
                _ = try recorder.stop()
                _ = try RecordingFinisher.finish("left-001", in: folder)
            }
        }
        killer.join()
    }
}
