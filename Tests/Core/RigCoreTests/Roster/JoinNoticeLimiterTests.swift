import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct JoinNoticeLimiterTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)
    private let north: NodeName
    private let problem = RigProblem(.conflict, "taken")

    init() throws {
        north = try NodeName("north")
    }

    @Test("Limits the notices of a node that joins again and again")
    func manyLives() {
        var notices = JoinNoticeLimiter()
        var told = notices.joined(north, devices: 1, at: start).map { [$0] } ?? []
        for step in 1...100 {
            let now = start + .milliseconds(50 * step)
            told += [notices.joined(north, devices: step, at: now)].compactMap(\.self) + notices.due(at: now)
        }
        told += notices.due(at: start + .seconds(60))
        #expect(told.count <= 4)
        #expect(told.reduce(0) { $0 + $1.count } == 101, "each is counted")
        #expect(told.last?.details["devices"] == "100", "the last one tells how it is")
    }

    @Test("Reports a refused agent once, and again after it had joined")
    func refusals() {
        var notices = JoinNoticeLimiter()
        let life = Samples.epoch(1)
        #expect(notices.refused(north, life, problem, at: start) != nil)
        #expect(notices.refused(north, life, problem, at: start + .seconds(60)) == nil)
        #expect(notices.joined(north, devices: 1, at: start + .seconds(70)) != nil)
        #expect(notices.refused(north, life, problem, at: start + .seconds(80)) != nil)
    }

    @Test("Limits notices of thousands of names, and reports a node that joins after them")
    func manyNames() throws {
        var notices = JoinNoticeLimiter()
        var told = 0
        for number in 0..<JoinNoticeLimiter.limit * 2 {
            if notices.joined(try NodeName("rogue\(number)"), devices: 0, at: start) != nil { told += 1 }
        }
        #expect(told == JoinNoticeLimiter.burst)
        var now = start
        while told < JoinNoticeLimiter.limit, now < start + .seconds(3600) {
            now = now + .seconds(3)
            told += notices.due(at: now).count
        }
        #expect(told == JoinNoticeLimiter.limit)
        #expect(notices.due(at: now + .seconds(3)).isEmpty)
        #expect(notices.joined(north, devices: 1, at: now + .seconds(6)) != nil)
    }
}
