import CaptureModel
import CaptureTestSupport
import Testing

@Suite("Manual time source")
struct ManualTimeSourceTests {
    @Test("Sleepers wake out of order, early, or at an instant that is not theirs")
    func order() async {
        let clock = ManualTimeSource(start: LocalTime(nanoseconds: 0))
        let (woken, log) = AsyncStream.makeStream(of: Int64.self)
        await withThrowingTaskGroup { group in
            for milliseconds: Int64 in [30, 10, 50, 20, 40] {
                group.addTask {
                    for lap: Int64 in 0..<20 {
                        try await clock.sleep(until: LocalTime(nanoseconds: (lap * 50 + milliseconds) * 1_000_000))
                        log.yield(clock.now().nanoseconds / 1_000_000)
                    }
                    try await clock.sleep(until: LocalTime(nanoseconds: .max))
                }
            }
            await clock.run(until: LocalTime(nanoseconds: 1_000_000_000), sleepers: 5)
            group.cancelAll()
            while let _ = await group.nextResult() {}
        }
        log.finish()
        #expect(await woken.reduce(into: []) { $0.append($1) } == (1...100).map { $0 * 10 })
        #expect(clock.now() == LocalTime(nanoseconds: 1_000_000_000))
    }

    @Test("A cancelled sleeper sleeps on", .timeLimit(.minutes(1)))
    func cancellation() async {
        let clock = ManualTimeSource()
        for isAsleep in [true, false] {
            let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
            if isAsleep { await clock.sleepers(atLeast: 1) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }

    @Test("A step of the wall clock moves the monotonic clock, or does not show")
    func wallClockStep() {
        let clock = ManualTimeSource()
        let before = clock.wallClockPair()
        clock.stepWallClock(by: .seconds(-3600))
        clock.advance(by: .seconds(1))
        let after = clock.wallClockPair()
        #expect(after.monotonic - before.monotonic == .seconds(1))
        #expect(after.realtimeNanoseconds - before.realtimeNanoseconds == -3_599_000_000_000)
    }

    @Test("A folder for tests stays behind")
    func temporaryFolder() throws {
        var path = ""
        do {
            let folder = try TemporaryFolder()
            path = try folder.write([1, 2, 3], as: "bytes")
            #expect(try ExternalTool.run("test", "-s", path).status == 0)
        }
        #expect(try ExternalTool.run("test", "-e", path).status != 0)
    }
}
