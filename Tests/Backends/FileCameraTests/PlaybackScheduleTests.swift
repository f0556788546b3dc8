import CameraKit
import CaptureModel
import CaptureTestSupport
import Testing

@testable import FileCamera

@Suite("File camera: schedule")
struct PlaybackScheduleTests {
    @Test("Numbers and places frames over hours, early and late", arguments: [true, false])
    func longRun(loops: Bool) {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<200 {
            let grid = FrameGrid(
                interval: 1e9 / Double.random(in: 0.01...1000, using: &generator),
                phase: Double.random(in: -3.6e12...3.6e12, using: &generator))
            let count = Int.random(in: 1...400, using: &generator)
            var now = LocalTime(nanoseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &generator))
            var schedule = PlaybackSchedule(grid, imageCount: count, loops: loops, start: now)
            var last: PlaybackSchedule.ScheduledFrame?
            var shown: UInt64 = 0
            var skipped: UInt64 = 0
            steps: for _ in 0..<500 {
                switch schedule.step(now: now) {
                case .show(let slot):
                    #expect((0..<count).contains(slot.image))
                    #expect(slot.sequence == (last.map { $0.sequence + 1 } ?? 0) + slot.skipped)
                    if let last { #expect(slot.due > last.due) }
                    #expect(now - slot.due <= .nanoseconds(Int64(grid.interval * 5) + 4), "round \(round)")
                    if !loops { #expect(UInt64(slot.image) == slot.sequence) }
                    (shown, skipped) = (shown + 1, skipped + slot.skipped)
                    last = slot
                    let late = Int.random(in: 0..<20, using: &generator) == 0 ? grid.interval * 30 : grid.interval / 9
                    now = max(now, slot.due) + .nanoseconds(Int64(late))
                case .end(let missed):
                    #expect(!loops)
                    #expect(shown + skipped + missed == UInt64(count))
                    break steps
                }
            }
        }
    }

    @Test("Handles clocks at their ends", arguments: [Int64.min, .min / 2, -1, 0, .max / 2, .max])
    func extremes(nanoseconds: Int64) {
        for loops in [true, false] {
            let grid = FrameGrid(interval: 1e6, phase: 0)
            var schedule = PlaybackSchedule(
                grid, imageCount: 3, loops: loops, start: LocalTime(nanoseconds: nanoseconds))
            for now in [nanoseconds, .min, .max, 0] {
                if case .show(let slot) = schedule.step(now: LocalTime(nanoseconds: now)) {
                    #expect((0..<3).contains(slot.image))
                }
            }
        }
    }
}
