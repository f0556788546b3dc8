import AgentChannels
import CaptureModel
import CaptureTestSupport
import CoordinatorChannels
import FaultPoints
import Glibc
import PosixSupport
import Testing

/// Faults are asked of a process, so these run one after another. A crash and a stop are tested in `Tests/Faults`.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FaultTests {
    private let clock = ManualTimeSource()

    private func sent(_ rules: FaultRule..., count: Int = 4) async -> [Int] {
        Faults.arm(rules, clock: clock)
        defer { Faults.disarm() }
        let lane = SendLane<Int>()
        var sent: [Int] = []
        for number in 1...count { _ = await lane.pass(number, at: SampleSend.hello) { sent.append($0) } }
        return sent
    }

    private func rule(_ point: some FaultPoint, _ action: FaultAction, hit: UInt64 = 1, times: UInt64? = 1) -> FaultRule
    {
        var rule = FaultRule(point: point.rawValue, action: action)
        (rule.firstHit, rule.times) = (hit, times)
        return rule
    }

    @Test("Drops, doubles or reorders exactly the messages that the test names")
    func messages() async {
        #expect(await sent() == [1, 2, 3, 4])
        #expect(await sent(rule(SampleSend.hello, .drop, hit: 2)) == [1, 3, 4])
        #expect(await sent(rule(SampleSend.hello, .drop, hit: 2, times: 2)) == [1, 4])
        #expect(await sent(rule(SampleSend.hello, .drop, times: nil)) == [])
        #expect(await sent(rule(SampleSend.hello, .duplicate, hit: 2)) == [1, 2, 2, 3, 4])
        #expect(await sent(rule(SampleSend.hello, .hold, hit: 2)) == [1, 3, 2, 4])
        #expect(await sent(rule(SampleSend.hello, .hold, hit: 2, times: 2)) == [1, 4, 2, 3])
        #expect(await sent(rule(SampleSend.hello, .hold, hit: 4)) == [1, 2, 3])
    }

    @Test("Reports to the sender that a message was dropped")
    func droppedMessage() async {
        Faults.arm([rule(SampleSend.hello, .drop)], clock: clock)
        defer { Faults.disarm() }
        let lane = SendLane<Int>()
        #expect(await lane.pass(1, at: SampleSend.hello) { $0 } == nil)
        #expect(await lane.pass(2, at: SampleSend.hello) { $0 } == 2)
        #expect(lane.passAtOnce(3, at: SampleSend.hello) { $0 } == 3)
    }

    @Test("Picks the same messages for the same chance and seed")
    func chance() async {
        var chance = rule(SampleSend.hello, .drop, times: nil)
        (chance.probability, chance.seed) = (0.5, 7)
        let first = await sent(chance, count: 100)
        #expect(await sent(chance, count: 100) == first)
        #expect((30...70).contains(first.count))
        chance.seed = 8
        #expect(await sent(chance, count: 100) != first)
    }

    @Test("Resumes a delayed task after its time, and a hanging one after cancellation")
    func waiting() async throws {
        Faults.arm([rule(SampleWait.timer, .delay(.seconds(2))), rule(SampleWait.timer, .hang, hit: 2)], clock: clock)
        defer { Faults.disarm() }
        let begun = clock.now()
        let delayed = Task { await SampleWait.timer.reached() }
        #expect(await clock.step() == begun + .seconds(2))
        await delayed.value
        let hanging = Task { await SampleWait.timer.reached() }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(86_400))
        hanging.cancel()
        await hanging.value
    }

    @Test("Fails disk steps as asked, and only as often as asked")
    func files() async throws {
        let paused = Locked<[Duration]>([])
        Faults.arm(
            [rule(SampleFile.write, .fail(ENOSPC), hit: 2), rule(SampleFile.write, .delay(.seconds(3)), hit: 3)],
            clock: clock
        ) { duration in paused.withLock { $0.append(duration) } }
        defer { Faults.disarm() }
        let folder = try TemporaryFolder()
        let file = try Folder(opening: folder.path, fault: SampleFile.injection).open("file", for: .appending)
        try file.write([1])
        #expect(throws: PosixError.self) { try file.write([2]) }
        try file.write([3])
        #expect(try folder.read("file") == [1, 3])
        #expect(paused.withLock { $0 } == [.seconds(3)])
    }

    @Test("Asks the disk nothing in a program without faults")
    func withoutFaults() {
        #expect(SampleFile.injection == nil && !Faults.areArmed)
    }

    @Test("Writes down a fault before it takes effect")
    func report() async throws {
        let folder = try TemporaryFolder()
        Faults.arm(
            [rule(SamplePoint.done, .delay(.zero), hit: 2)], report: try FaultReport(path: folder.path + "/report"),
            clock: clock
        ) { [folder] _ in #expect((try? folder.read("report").last) == UInt8(ascii: "\n")) }
        defer { Faults.disarm() }
        for _ in 1...3 { SamplePoint.done.reached() }
        SamplePoint.begun.reached()
        let lines = "reached sample.step.done\nstruck sample.step.done delay 2\nreached sample.step.begun\n"
        #expect(String(decoding: try folder.read("report"), as: UTF8.self) == lines)
    }
}

@Suite struct CatalogueTests {
    @Test(
        "two points of a program have one name, so that a test strikes at both",
        arguments: [Agent.faultPoints, Coordinator.faultPoints])
    func names(_ catalogue: FaultCatalogue) {
        let names = catalogue.entries.map(\.name)
        #expect(Set(names).count == names.count && names.count > 40)
        for name in names {
            #expect(
                name.split(separator: ".").count >= 3 && name.utf8.allSatisfy { $0 == 46 || (65...122).contains($0) })
        }
    }
}

@Suite struct FaultRuleTests {
    private let catalogue = FaultCatalogue([SamplePoint.self, SampleSend.self])

    @Test("Parses each documented rule as documented")
    func reading() throws {
        let rule = try FaultRule(parsing: "sample.send.hello=delay:250ms,hit=3,times=always,probability=0.5,seed=9")
        #expect(rule.point == "sample.send.hello" && rule.action == .delay(.milliseconds(250)))
        #expect(rule.firstHit == 3 && rule.times == nil && rule.probability == 0.5 && rule.seed == 9)
        #expect(try FaultRule(parsing: "a=crash") == FaultRule(point: "a", action: .crash))
        #expect(try FaultRule(parsing: "a=fail:EROFS").action == .fail(EROFS))
    }

    @Test(
        "a rule with a mistake is taken for another one",
        arguments: [
            "", "a", "a=", "=crash", "a=explode", "a=crash:1", "a=delay", "a=delay:5", "a=delay:-1ms", "a=fail",
            "a=fail:EVERYTHING", "a=crash,", "a=crash,hit=0", "a=crash,hit=x", "a=crash,times=0",
            "a=crash,probability=2", "a=crash,often=1",
        ])
    func mistakes(_ text: String) {
        #expect(throws: InvalidFaultRule.self) { try FaultRule(parsing: text) }
    }

    @Test("Refuses a fault at a point that does not exist or cannot carry it out")
    func pointsThatCannot() throws {
        #expect(try catalogue.rules(["sample.step.done=crash", "sample.send.hello=drop"]).count == 2)
        #expect(throws: InvalidFaultRule.self) { try catalogue.rules(["sample.step.gone=crash"]) }
        #expect(throws: InvalidFaultRule.self) { try catalogue.rules(["sample.step.done=drop"]) }
    }

    @Test("Lists every fault point with what it can do")
    func listing() {
        #expect(
            catalogue.listing == """
                sample.send.hello crash,stop,hang,delay,drop,duplicate,hold
                sample.step.begun crash,stop,hang,delay
                sample.step.done crash,stop,hang,delay

                """)
    }
}

enum SamplePoint: String, ThreadFaultPoint {
    case begun = "sample.step.begun"
    case done = "sample.step.done"
}

enum SampleSend: String, SendFaultPoint {
    case hello = "sample.send.hello"
}

enum SampleWait: String, TaskFaultPoint {
    case timer = "sample.wait.timer"
}

enum SampleFile: String, FileFaultPoint {
    case write = "sample.file.write"

    init?(_ step: FileStep, path: String) {
        guard step == .write else { return nil }
        self = .write
    }
}
