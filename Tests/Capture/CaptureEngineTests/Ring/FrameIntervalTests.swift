import CaptureModel
import CaptureTestSupport
import Testing

@testable import CaptureEngine

@Suite struct FrameIntervalTests {
    private func instant(_ microseconds: Int64) -> LocalTime {
        LocalTime(nanoseconds: 5_000_000_000 + microseconds * 1000)
    }

    @Test("Before two frames have come the interval is not the nominal one")
    func nominal() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        #expect(interval.value == .milliseconds(40))
        interval.note(sequence: 7, midExposure: instant(0))
        #expect(interval.value == .milliseconds(40))
    }

    @Test("A camera that runs slower than its nominal rate is measured wrong")
    func measured() {
        var interval = FrameInterval(nominal: .milliseconds(33))
        for index in Int64(0)..<4 { interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000)) }
        #expect(interval.value == .milliseconds(40))
    }

    @Test("Dropped frames make the interval look longer")
    func drops() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        for index in [Int64(0), 1, 5, 6, 20, 21] {
            interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000))
        }
        #expect(interval.value == .milliseconds(40))
    }

    @Test("Jitter of the stamps shakes the measured interval")
    func jitter() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        var generator = SeededGenerator(seed: 3)
        for index in Int64(0)..<500 {
            let jitter = Int64.random(in: -4000...4000, using: &generator)
            interval.note(sequence: UInt64(index), midExposure: instant(index * 40_000 + jitter))
        }
        #expect((interval.value - .milliseconds(40)).magnitude < .milliseconds(1))
    }

    @Test("A stream whose numbers or stamps do not rise spoils the interval or traps")
    func hostile() {
        var interval = FrameInterval(nominal: .milliseconds(40))
        interval.note(sequence: .max, midExposure: instant(0))
        interval.note(sequence: 0, midExposure: instant(40_000))
        interval.note(sequence: 0, midExposure: instant(80_000))
        interval.note(sequence: 1, midExposure: instant(80_000))
        interval.note(sequence: 2, midExposure: instant(60_000))
        #expect(interval.value == .milliseconds(40))
        interval.note(sequence: 3, midExposure: instant(100_000))
        #expect(interval.value == .milliseconds(40))
    }
}

@Suite struct RetryDelayTests {
    @Test("A camera that stays away is tried again too often, or later and later without end")
    func doubles() {
        var delay = RetryDelay(first: .milliseconds(250), last: .seconds(5))
        let waits = (0..<8).map { _ in delay.take() }
        #expect(waits == [250, 500, 1000, 2000, 4000, 5000, 5000, 5000].map { .milliseconds($0) })
        delay.reset()
        #expect(delay.take() == .milliseconds(250), "a stream that delivered starts the count again")
    }
}
