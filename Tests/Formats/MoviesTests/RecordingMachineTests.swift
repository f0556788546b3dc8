import CaptureTestSupport
import Glibc
import PosixSupport
import Testing

@testable import Movies

/// Transcripts of ``RecordingMachine``.
@Suite struct RecordingMachineTests {
    /// The actions for frames at these seconds, each of `byteCount` bytes.
    private func frames(
        _ machine: inout RecordingMachine, at seconds: [Double], byteCount: Int = 100
    ) -> [[RecordingMachine.Action]] {
        seconds.map { machine.handle(.frame(time: Int64($0 * 90_000), byteCount: byteCount)) }
    }

    @Test func `what a crash takes is more than a fragment, or every frame is flushed`() {
        var machine = RecordingMachine(RecordingLimits())
        let actions = frames(&machine, at: [0.1, 0.2, 0.5, 0.6, 1.0, 1.1, 1.5, 2.0])
        #expect(
            actions == [
                [.open(segment: 1, start: 0), .write], [.write], [.flush, .examineSpace, .write], [.write],
                [.flush, .sync, .examineSpace, .write], [.write], [.flush, .examineSpace, .write],
                [.flush, .sync, .examineSpace, .write],
            ])
    }

    @Test func `a recording goes on for ever, or ends too early`() {
        var machine = RecordingMachine(RecordingLimits(maximumDuration: 90_000).inOneFragment)
        #expect(
            frames(&machine, at: [0, 0.99, 1, 1.1])
                == [
                    [.open(segment: 1, start: 0), .write], [.write], [.close, .end(.durationLimit)], [],
                ])
        var large = RecordingMachine(RecordingLimits(maximumByteCount: 250).inOneFragment)
        _ = frames(&large, at: [0])
        #expect(large.handle(.sound(until: 900, byteCount: 51)) == [.write])
        #expect(frames(&large, at: [0.1]) == [[.close, .end(.sizeLimit)]])
    }

    @Test func `a file is longer or larger than was asked for`() {
        var machine = RecordingMachine(RecordingLimits(segmentDuration: 90_000).inOneFragment)
        #expect(
            frames(&machine, at: [0, 0.9, 1, 1.9, 2.5])
                == [
                    [.open(segment: 1, start: 0), .write], [.write],
                    [.close, .open(segment: 2, start: 90_000), .write], [.write],
                    [.close, .open(segment: 3, start: 225_000), .write],
                ])
        var large = RecordingMachine(RecordingLimits(segmentByteCount: 250).inOneFragment)
        #expect(frames(&large, at: [0, 0.1, 0.2]).map(\.count) == [2, 1, 3])
    }

    @Test func `a recording has more files than it may, or loses what comes then`() {
        var machine = RecordingMachine(
            RecordingLimits(segmentDuration: 90_000, segmentCount: 2).inOneFragment)
        #expect(frames(&machine, at: [0, 1, 2, 3]).map(\.count) == [2, 3, 1, 1])
    }

    @Test func `cameras turn to another file at different instants`() {
        for first in [0.0, 0.02, 0.3] {
            var machine = RecordingMachine(RecordingLimits(segmentDuration: 90_000).inOneFragment)
            let turns = frames(&machine, at: [first, 0.99, 1.01, 1.98, 2.0]).map { $0.contains(.close) }
            #expect(turns == [false, false, true, false, true])
        }
    }

    @Test func `a full disk ends no recording, or a disk with room does`() {
        var machine = RecordingMachine(RecordingLimits(freeByteCount: 1000))
        _ = frames(&machine, at: [0])
        #expect(machine.handle(.space(1000)) == [])
        #expect(machine.handle(.space(999)) == [.close, .end(.diskNearlyFull)])
        #expect(machine.handle(.space(0)) == [])
    }

    @Test func `sound alone is kept in memory until a frame comes, or goes on for ever`() {
        var machine = RecordingMachine(RecordingLimits(maximumDuration: 180_000, maximumByteCount: 1000))
        _ = frames(&machine, at: [0, 0.4])
        // A quarter of a second each; the fragment of the two frames is full at 0.9 s.
        var actions: [[RecordingMachine.Action]] = []
        for quarter in Int64(1)...4 {
            actions.append(machine.handle(.sound(until: 36_000 + quarter * 22_500, byteCount: 10)))
        }
        let expected: [[RecordingMachine.Action]] = [
            [.write], [.flushSound, .examineSpace, .write], [.write], [.flushSound, .sync, .examineSpace, .write],
        ]
        #expect(actions == expected)
        #expect(frames(&machine, at: [1.5, 1.6]) == [[.write], [.write]])
        #expect(machine.handle(.sound(until: 166_500, byteCount: 701)) == [.close, .end(.sizeLimit)])
        var long = RecordingMachine(RecordingLimits(maximumDuration: 90_000))
        _ = frames(&long, at: [0])
        var ends: [[RecordingMachine.Action]] = []
        for quarter in Int64(1)...8 {
            let actions = long.handle(.sound(until: quarter * 22_500, byteCount: 10))
            if actions.contains(.end(.durationLimit)) { ends.append(actions) }
        }
        #expect(ends == [[.close, .end(.durationLimit)]] && long.state == .ended(.durationLimit))
    }

    @Test func `sound that comes late for its frames counts as time that has passed`() {
        var machine = RecordingMachine(RecordingLimits(maximumDuration: 90_000))
        _ = frames(&machine, at: [0, 0.4, 0.8, 0.99])
        // All of the second at once, while the last frame is that of 0.99 s.
        #expect(machine.handle(.sound(until: 45_000, byteCount: 10)) == [.write])
        #expect(machine.handle(.sound(until: 90_000, byteCount: 10)) == [.write])
        #expect(frames(&machine, at: [1]) == [[.close, .end(.durationLimit)]])
    }

    @Test func `stopping twice, before the first frame or after a failure does harm`() {
        var machine = RecordingMachine(RecordingLimits())
        #expect(machine.handle(.sound(until: 900, byteCount: 4)) == [])
        #expect(machine.handle(.stop) == [.end(.stopped)])
        #expect(machine.handle(.stop) == [])
        var failing = RecordingMachine(RecordingLimits())
        _ = frames(&failing, at: [0])
        #expect(failing.handle(.stop) == [.close, .end(.stopped)])
        #expect(failing.handle(.failure) == [.abandon, .end(.failed)])
        #expect(failing.handle(.stop) == [] && failing.state == .ended(.failed))
    }
}

extension RecordingLimits {
    fileprivate var inOneFragment: RecordingLimits {
        var limits = self
        limits.fragmentDuration = .max
        return limits
    }
}

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
