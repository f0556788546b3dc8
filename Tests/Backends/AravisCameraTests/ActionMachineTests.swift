import CameraKit
import CaptureModel
import Testing

@testable import AravisCamera

/// A machine whose answers are texts.
private struct Bench {
    /// T of most tests: four seconds ahead.
    static let instant = PTPSample.now + .seconds(4)
    /// When its exposure of 4 ms begins, on the camera's clock.
    static let start = PTPSample.realtime + 5_000_000_000 + 37_000_000_000 - 2_000_000

    var machine = ActionMachine(
        limits: ActionMachine.Limits(interval: .milliseconds(40), uncertainty: .microseconds(5)))
    var now = PTPSample.now

    mutating func arm(_ id: UInt64, at instant: LocalTime = instant) -> [String] {
        Self.texts(machine.arm(id, at: instant, following: PTPSample.node, now: now))
    }

    mutating func read(_ id: UInt64, _ camera: CameraReading? = PTPSample.camera()) throws -> [String] {
        Self.texts(machine.read(id, try #require(camera), now: now))
    }

    mutating func answered(_ request: UInt16, status: UInt16 = 0) -> [String] {
        let bytes = [status >> 8, status & 0xFF, 1, 1, 0, 0, request >> 8, request & 0xFF].map { UInt8($0) }
        return Self.texts(machine.received(bytes))
    }

    mutating func frame(_ sequence: UInt64, stamp: Int64 = start) -> [String] {
        let frame = CameraFrame(
            sequence: sequence, midExposure: now, stampBound: .seconds(1), dequeued: now,
            payload: .planes(FrameLease([1])))
        return Self.texts(machine.received(frame, stamp: stamp))
    }

    mutating func wait(until instant: LocalTime) -> [String] {
        now = instant
        return Self.texts(machine.expire(at: instant))
    }

    /// An exposure that the camera has acknowledged.
    mutating func armed(_ id: UInt64, at instant: LocalTime = instant) throws {
        _ = arm(id, at: instant)
        _ = try read(id)
        #expect(answered(UInt16(id)) == ["armed \(id)"])
    }

    /// The command of an exposure, as the helper gets it.
    static func command(_ request: UInt16, start: Int64 = start) -> String {
        "action " + ActionCommand(request: request, time: UInt64(start)).bytes.hexadecimal
    }

    static func texts(_ actions: [ActionMachine.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .write(let line): line
            case .armed(let id): "armed \(id)"
            case .refused(let id, let refusal): "refused \(id) \(refusal.cause)"
            case .delivered(let id, let frame): "delivered \(id) \(frame.sequence)"
            case .missed(let id, let refusal): "missed \(id) \(refusal.cause)"
            case .dropped: "dropped"
            }
        }
    }
}

@Suite("aravis camera: states of an exposure")
struct ActionMachineTests {
    @Test("Is armed when the camera has acknowledged, and not before; then its frame is delivered to who waits for it")
    func whole() throws {
        var bench = Bench()
        #expect(bench.arm(1) == ["state 1"])
        #expect(try bench.read(1) == [Bench.command(1)])
        #expect(bench.answered(7) == [], "of another request")
        #expect(bench.answered(1) == ["armed 1"])
        #expect(bench.answered(1) == [], "answered twice")
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == [])
        #expect(bench.frame(9) == ["delivered 1 9"])
        #expect(bench.frame(9) == ["dropped"], "a frame of nothing")
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == ["missed 1 camera"], "a frame is delivered once")
        #expect(bench.machine.deadline == nil)
    }

    @Test("Keeps a frame that comes before anybody waits for it, with the time of the camera's clock")
    func kept() throws {
        var bench = Bench()
        try bench.armed(1)
        #expect(bench.frame(9, stamp: Bench.start + 700) == [])
        let actions = bench.machine.awaitFrame(1)
        guard case .delivered(1, let frame) = actions.first else {
            Issue.record("\(Bench.texts(actions))")
            return
        }
        #expect(frame.midExposure == Bench.instant + .nanoseconds(700) && frame.exposure == .milliseconds(4))
        // 2 µs of the node, 5 ppm of the 5 s since its reading, rounded up, and 5 µs of the stamp.
        #expect(frame.stampBound == .nanoseconds(2000 + 25_001 + 5000))
    }

    @Test("Refuses a camera off the PTP clock, and one whose exposure is automatic, before anything is sent")
    func refused() throws {
        var bench = Bench()
        _ = bench.arm(1)
        #expect(try bench.read(1, PTPSample.camera(status: "Listening")) == ["refused 1 clock"])
        _ = bench.arm(2)
        #expect(try bench.read(2, PTPSample.camera(exposure: "-")) == ["refused 2 camera"])
        _ = bench.arm(3)
        #expect(Bench.texts(bench.machine.failed(3, "it does not answer")) == ["refused 3 camera"])
        #expect(Bench.texts(bench.machine.failed(3, "again")) == [])
        #expect(try bench.read(3) == [], "an answer that comes late")
    }

    @Test("A frame with the time of its action shows that the camera has acted, even before the acknowledgement comes")
    func overtaken() throws {
        var bench = Bench()
        _ = bench.arm(1)
        _ = try bench.read(1)
        #expect(bench.frame(8, stamp: Bench.start + 1_000_001) == ["dropped"], "the answer is still to come")
        #expect(bench.frame(9) == ["armed 1"])
        #expect(bench.answered(1) == [])
        #expect(bench.machine.deadline == nil)
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == ["delivered 1 9"])
    }

    @Test(
        "Refuses with the reason of the camera's status",
        arguments: [(UInt16(0x8013), "clock"), (0x8015, "conflict"), (0x8016, "tooSoon"), (0x8001, "camera")])
    func statuses(_ status: UInt16, _ cause: String) throws {
        var bench = Bench()
        _ = bench.arm(1)
        _ = try bench.read(1)
        #expect(bench.answered(1, status: status) == ["refused 1 \(cause)"])
        #expect(bench.frame(9) == ["dropped"], "it acts nevertheless, as one that is late does")
    }

    @Test("Repeats a command that was not answered with the same id, and refuses after the last time")
    func repeated() throws {
        var bench = Bench()
        _ = bench.arm(1)
        let command = try bench.read(1)
        for attempt in 2...ActionMachine.attempts {
            #expect(bench.wait(until: bench.now + .milliseconds(99)) == [])
            #expect(bench.wait(until: bench.now + .milliseconds(1)) == command, "attempt \(attempt)")
        }
        #expect(bench.wait(until: bench.now + .milliseconds(100)) == ["refused 1 camera"])
        // The camera may know it, and cannot be told otherwise.
        #expect(bench.arm(2, at: Bench.instant + .milliseconds(39)) == ["refused 2 conflict"])
        #expect(bench.frame(9) == ["dropped"])
        #expect(bench.arm(3, at: Bench.instant + .milliseconds(39)) == ["state 3"])
    }

    @Test("An answer that comes late counts while the command is repeated")
    func late() throws {
        var bench = Bench()
        _ = bench.arm(1)
        _ = try bench.read(1)
        _ = bench.wait(until: bench.now + .milliseconds(150))
        #expect(bench.answered(1) == ["armed 1"])
        #expect(bench.answered(1) == [])
    }

    @Test("Refuses an instant that is too near, at once or when the camera was read, and does not repeat for it")
    func near() throws {
        var bench = Bench()
        #expect(bench.arm(1, at: bench.now + .milliseconds(19)) == ["refused 1 tooSoon"])
        // Its exposure begins 2 ms before its middle.
        #expect(bench.arm(2, at: bench.now + .milliseconds(21)) == ["state 2"])
        #expect(try bench.read(2) == ["refused 2 tooSoon"])
        _ = bench.arm(3, at: bench.now + .milliseconds(110))
        #expect(try bench.read(3).count == 1)
        #expect(bench.wait(until: bench.now + .milliseconds(100)) == ["refused 3 camera"])
    }

    @Test("Refuses a second exposure nearer than an interval, and makes both that are an interval apart")
    func two() throws {
        var bench = Bench()
        try bench.armed(1)
        #expect(bench.arm(2, at: Bench.instant + .milliseconds(39)) == ["refused 2 conflict"])
        #expect(bench.arm(3, at: Bench.instant - .milliseconds(39)) == ["refused 3 conflict"])
        #expect(bench.arm(4, at: Bench.instant + .milliseconds(40)) == ["state 4"])
        let second = Bench.start + 40_000_000
        #expect(try bench.read(4) == [Bench.command(2, start: second)])
        #expect(bench.answered(2) == ["armed 4"])
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == [])
        #expect(Bench.texts(bench.machine.awaitFrame(4)) == [])
        #expect(bench.frame(11, stamp: second) == ["delivered 4 11"])
        #expect(bench.frame(10) == ["delivered 1 10"])
    }

    @Test("Refuses a second exposure that would begin while the first one is under way")
    func long() throws {
        var bench = Bench()
        let camera = PTPSample.camera(exposure: "60000000")
        _ = bench.arm(1)
        _ = try bench.read(1, camera)
        _ = bench.arm(2, at: Bench.instant + .milliseconds(59))
        #expect(try bench.read(2, camera) == ["refused 2 conflict"])
        _ = bench.arm(3, at: Bench.instant + .milliseconds(60))
        #expect(try bench.read(3, camera).count == 1)
        #expect(bench.answered(1) == ["armed 1"])
        #expect(bench.answered(2) == ["armed 3"])
    }

    @Test("Refuses an exposure so long that its frame would be taken for one of another clock, before anything is sent")
    func tooLong() throws {
        var bench = Bench()
        _ = bench.arm(1, at: bench.now + .seconds(20))
        #expect(try bench.read(1, PTPSample.camera(exposure: "5000000001")) == ["refused 1 camera"])
        _ = bench.arm(2, at: bench.now + .seconds(20))
        #expect(try bench.read(2, PTPSample.camera(exposure: "5000000000")).count == 1)
        #expect(bench.answered(1) == ["armed 2"])
    }

    @Test("Misses a frame that never comes, whether it is awaited already or later")
    func missing() throws {
        var bench = Bench()
        try bench.armed(1)
        try bench.armed(2, at: Bench.instant + .seconds(1))
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == [])
        let end = Bench.instant + .milliseconds(2) + ActionMachine.framePatience
        #expect(bench.machine.deadline == end)
        #expect(bench.wait(until: end - .nanoseconds(1)) == [])
        #expect(bench.wait(until: end) == ["missed 1 camera"])
        #expect(bench.wait(until: end + .seconds(1)) == [])
        #expect(Bench.texts(bench.machine.awaitFrame(2)) == ["missed 2 camera"])
    }

    @Test("A frame after the time of an action is not its frame, and says so; others are of nothing")
    func beside() throws {
        var bench = Bench()
        try bench.armed(1)
        #expect(bench.frame(7, stamp: Bench.start - 1_000_001) == ["dropped"])
        #expect(bench.frame(8, stamp: Bench.start + 40_000_000) == ["dropped"])
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == [])
        #expect(bench.frame(9, stamp: Bench.start + 1_000_001) == ["dropped", "missed 1 camera"])
    }

    @Test("A configured latency of the camera's stamps is taken off before they are compared")
    func latency() throws {
        var bench = Bench()
        bench.machine = ActionMachine(
            limits: ActionMachine.Limits(interval: .milliseconds(40), latencyOffset: .milliseconds(-4)))
        try bench.armed(1)
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == [])
        #expect(bench.frame(9, stamp: Bench.start + 4_000_000) == ["delivered 1 9"])
    }

    @Test("An exposure that is given up still happens: its frame is dropped, and it stays in the way of others")
    func disarmed() throws {
        var bench = Bench()
        try bench.armed(1)
        #expect(Bench.texts(bench.machine.disarm(1)) == [])
        #expect(Bench.texts(bench.machine.disarm(1)) == [])
        #expect(bench.arm(2, at: Bench.instant + .milliseconds(39)) == ["refused 2 conflict"])
        #expect(bench.frame(9) == ["dropped"])
        #expect(bench.machine.deadline == nil)
        try bench.armed(2, at: Bench.instant)
        #expect(Bench.texts(bench.machine.awaitFrame(2)) == [])
        #expect(Bench.texts(bench.machine.disarm(2)) == ["missed 2 camera"])
    }

    @Test("A frame that was kept is dropped when its exposure is given up")
    func keptAndDisarmed() throws {
        var bench = Bench()
        try bench.armed(1)
        #expect(bench.frame(9) == [])
        #expect(Bench.texts(bench.machine.disarm(1)) == ["dropped"])
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == ["missed 1 camera"])
    }

    @Test("The helper that does not answer is not waited for longer than its patience")
    func silent() {
        var bench = Bench()
        _ = bench.arm(1)
        #expect(bench.machine.deadline == bench.now + ActionMachine.askPatience)
        #expect(bench.wait(until: bench.now + ActionMachine.askPatience) == ["refused 1 camera"])
    }

    @Test("Keeps sixteen exposures at most")
    func many() throws {
        var bench = Bench()
        for id in UInt64(1)...16 { #expect(bench.arm(id, at: Bench.instant + .seconds(Int64(id))).count == 1) }
        #expect(bench.arm(17, at: Bench.instant + .seconds(20)) == ["refused 17 conflict"])
    }

    @Test("When the stream ends, everybody gets the reason, and later calls too")
    func ended() throws {
        var bench = Bench()
        try bench.armed(1)
        try bench.armed(2, at: Bench.instant + .seconds(1))
        _ = bench.arm(3, at: Bench.instant + .seconds(2))
        #expect(Bench.texts(bench.machine.awaitFrame(1)) == [])
        let refusal = ExposureRefusal(.camera, "the stream has ended")
        #expect(Bench.texts(bench.machine.end(refusal)) == ["missed 1 camera", "refused 3 camera"])
        #expect(Bench.texts(bench.machine.awaitFrame(2)) == ["missed 2 camera"])
        #expect(bench.arm(4) == ["refused 4 camera"])
    }

    @Test("Identifiers of requests are never 0, also when they begin again")
    func requests() {
        #expect(ActionMachine.request(after: 0) == 1 && ActionMachine.request(after: .max) == 1)
        #expect(ActionMachine.request(after: 1) == 2)
    }
}
