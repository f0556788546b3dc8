import Testing

@testable import ALSA

@Suite struct PCMTimelineTests {
    @Test("Frames that follow one another count as lost because their stamps jitter")
    func continuous() {
        let timeline = TimelineBox(rate: 48_000)
        #expect(timeline.place(480, 1_000_000_000) == (0, 0))
        #expect(timeline.place(480, 1_012_000_000) == (480, 0))
        #expect(timeline.place(480, 1_019_000_000) == (960, 0))
    }

    @Test("What an overrun has cost is not told, or told wrongly")
    func overrun() {
        let timeline = TimelineBox(rate: 48_000)
        _ = timeline.place(480, 1_000_000_000)
        timeline.noteOverrun()
        // The frame after the first 480 was due at 1.010 s; this one comes half a second later.
        #expect(timeline.place(480, 1_510_000_000) == (480 + 24_000, 24_000))
        #expect(timeline.place(480, 1_520_000_000) == (960 + 24_000, 0))
    }

    @Test("An overrun whose stamps hide it is not told")
    func overrunWithoutTime() {
        let timeline = TimelineBox(rate: 48_000)
        timeline.noteOverrun()
        #expect(timeline.place(480, 5) == (0, 0), "nothing came before it")
        timeline.noteOverrun()
        #expect(timeline.place(480, 0) == (481, 1))
    }

    @Test("A driver's nonsense traps")
    func extremes() {
        let timeline = TimelineBox(rate: 0)
        for stamp in [Int64.max, .min, 0, .max] {
            timeline.noteOverrun()
            _ = timeline.place(Int.max, stamp)
            _ = timeline.place(-1, stamp)
        }
    }
}

/// A timeline that expectations can drive.
private final class TimelineBox {
    private var timeline: PCMTimeline

    init(rate: Int) {
        timeline = PCMTimeline(rate: rate)
    }

    func noteOverrun() { timeline.noteOverrun() }

    func place(_ frames: Int, _ stamp: Int64) -> (position: UInt64, lost: UInt64) {
        timeline.place(frames, at: stamp)
    }
}
