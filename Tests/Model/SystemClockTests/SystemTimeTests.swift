import CaptureModel
import PosixSupport
import SystemClock
import Testing

@Suite struct SystemTimeTests {
    let clock = SystemTimeSource()

    @Test func `time does not run backwards and a pair lies between its neighbors`() {
        let before = clock.now()
        let pair = clock.wallClockPair()
        let after = clock.now()
        #expect(before <= pair.monotonic && pair.monotonic <= after)
        #expect(pair.realtimeNanoseconds > 1_700_000_000_000_000_000)
    }

    @Test func `two pairs agree on the date of an instant`() {
        let instant = clock.now()
        let first = clock.wallClockPair().realtimeNanoseconds(at: instant)
        let second = clock.wallClockPair().realtimeNanoseconds(at: instant)
        // Far above the reading error, far below what a wrong unit or a missing zone would make.
        #expect(abs(first - second) < 50_000_000)
    }

    @Test func `two readings of how far the clock is slewed differ by less than a clock can be slewed between them`() {
        let before = clock.now()
        guard let first = clock.timeSlewed() else { return }
        for _ in 0..<1000 {
            guard let next = clock.timeSlewed() else { continue }
            // The kernel limits a correction to 10 %.
            #expect((next - first).magnitude <= (clock.now() - before) / 10 + .microseconds(1))
        }
    }

    @Test func `sleeping ends at the deadline, not before`() async throws {
        let deadline = clock.now() + .milliseconds(5)
        try await clock.sleep(until: deadline)
        #expect(clock.now() >= deadline)
        try await clock.sleep(until: LocalTime(nanoseconds: .min))
    }

    @Test func `a cancelled sleep ends at once, however far the deadline`() async throws {
        let clock = clock
        let task = Task { try await clock.sleep(until: LocalTime(nanoseconds: .max)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the clock of one boot keeps its id`() throws {
        let id = try RigClockID.ofThisProcess()
        #expect(try RigClockID.ofThisProcess() == id)
        #expect(id.rawValue.prefix(36).split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000000000Z"),
        (1_795_255_861_000_000_250, "2026-11-21T10:11:01.000000250Z"),
        (-1, "1969-12-31T23:59:59.999999999Z"),
        (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
        (Int64.max, "2262-04-11T23:47:16.854775807Z"),
        (Int64.min, "1677-09-21T00:12:43.145224192Z"),
    ])
    func `a date is right to the nanosecond, at the ends of time too`(_ nanoseconds: Int64, _ text: String) {
        #expect(UTCDate(realtimeNanoseconds: nanoseconds).description == text)
    }
}
