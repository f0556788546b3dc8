import CaptureModel
import CaptureTestSupport
import FaultPoints
import Glibc
import PosixSupport
import Testing

/// Faults are asked of a process, so these run one after another. A crash and a stop are tested in `Tests/Faults`.
@Suite(.serialized, .timeLimit(.minutes(1))) struct FaultTests {
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

    @Test("a message is lost, doubled or overtaken where no test has asked for it, or another one is")
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

    @Test("who sends is told that a message was sent that a test has dropped")
    func droppedMessage() async {
        Faults.arm([rule(SampleSend.hello, .drop)], clock: clock)
        defer { Faults.disarm() }
        let lane = SendLane<Int>()
        #expect(await lane.pass(1, at: SampleSend.hello) { $0 } == nil)
        #expect(await lane.pass(2, at: SampleSend.hello) { $0 } == 2)
        #expect(lane.passAtOnce(3, at: SampleSend.hello) { $0 } == 3)
    }

    @Test("the same chance with the same seed strikes at other messages, so that a run cannot be repeated")
    func chance() async {
        var chance = rule(SampleSend.hello, .drop, times: nil)
        (chance.probability, chance.seed) = (0.5, 7)
        let first = await sent(chance, count: 100)
        #expect(await sent(chance, count: 100) == first)
        #expect((30...70).contains(first.count))
        chance.seed = 8
        #expect(await sent(chance, count: 100) != first)
    }

    @Test("a delayed task goes on before its time, or one that hangs goes on before it is cancelled")
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

    @Test("a disk that a test makes fail fails otherwise than asked, or goes on failing")
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

    @Test("a program without faults has a disk that is asked at each step")
    func withoutFaults() {
        #expect(SampleFile.injection == nil && !Faults.areArmed)
    }

    @Test("what struck is not written down, or is only after it has struck")
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
