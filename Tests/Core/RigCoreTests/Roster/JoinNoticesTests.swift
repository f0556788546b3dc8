import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct JoinNoticesTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)
    private let north: NodeName
    private let problem = CaptureProblem(.conflict, "taken")

    init() throws {
        north = try NodeName("north")
    }

    @Test("A node that joins in one life after the other fills the event log")
    func manyLives() {
        var notices = JoinNotices()
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

    @Test("A refused agent is told of at each of its hellos, or not again after it had joined")
    func refusals() {
        var notices = JoinNotices()
        let life = Samples.epoch(1)
        #expect(notices.refused(north, life, problem, at: start) != nil)
        #expect(notices.refused(north, life, problem, at: start + .seconds(60)) == nil)
        #expect(notices.joined(north, devices: 1, at: start + .seconds(70)) != nil)
        #expect(notices.refused(north, life, problem, at: start + .seconds(80)) != nil)
    }

    @Test("Hellos under thousands of names fill the event log, or hide a node that joins after them")
    func manyNames() throws {
        var notices = JoinNotices()
        var told = 0
        for number in 0..<JoinNotices.limit * 2 {
            if notices.joined(try NodeName("rogue\(number)"), devices: 0, at: start) != nil { told += 1 }
        }
        #expect(told == JoinNotices.burst)
        var now = start
        while told < JoinNotices.limit, now < start + .seconds(3600) {
            now = now + .seconds(3)
            told += notices.due(at: now).count
        }
        #expect(told == JoinNotices.limit)
        #expect(notices.due(at: now + .seconds(3)).isEmpty)
        #expect(notices.joined(north, devices: 1, at: now + .seconds(6)) != nil)
    }
}
