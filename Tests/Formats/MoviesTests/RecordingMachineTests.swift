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
        #expect(
            (1...4).map { machine.handle(.sound(until: 36_000 + $0 * 22_500, byteCount: 10)) } == [
                [.write], [.flushSound, .examineSpace, .write], [.write], [.flushSound, .sync, .examineSpace, .write],
            ])
        #expect(frames(&machine, at: [1.5, 1.6]) == [[.write], [.write]])
        #expect(machine.handle(.sound(until: 166_500, byteCount: 701)) == [.close, .end(.sizeLimit)])
        var long = RecordingMachine(RecordingLimits(maximumDuration: 90_000))
        _ = frames(&long, at: [0])
        let ends = (1...8).map { long.handle(.sound(until: $0 * 22_500, byteCount: 10)) }
            .filter { $0.contains(.end(.durationLimit)) }
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
