import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import SystemClock
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct ClockEchoTests {
    private func ask(_ socket: DealerSocket, _ sequence: UInt64) async throws -> WireClockReply {
        var probe = WireClockProbe()
        probe.sequence = sequence
        _ = await socket.send(Message(try WireCoding.clock.encode(probe)))
        let received = try #require(await socket.receive())
        return try WireCoding.clock.decode(WireClockReply.self, from: received.message.parts[0].bytes)
    }

    @Test("Tells nodes how the coordinator's clock is kept in step, with its time line and in the message's limit")
    func discipline() async throws {
        // As long as an identity may be, and numbers with all digits.
        let said = DisciplinedClock<LocalTimeBase>(
            reference: ClockReference(source: .ptp, identity: String(repeating: "é", count: 16)),
            bound: .nanoseconds(Int64.max),
            pair: WallClockPair(monotonic: LocalTime(nanoseconds: .max), realtimeNanoseconds: .min))
        let bench = try await WireBench(discipline: ToldDiscipline { said })
        let socket = try await bench.dealer(bench.clock)
        var (sequence, reply) = (UInt64.max, try await ask(socket, .max))
        // It asks when it runs.
        while !reply.hasDiscipline {
            try Task.checkCancellation()
            sequence -= 1
            reply = try await ask(socket, sequence)
        }
        #expect(reply.sequence == sequence)
        #expect(try DisciplinedClock(wire: reply.discipline) == said.based(on: RigTimeBase.self))
        await bench.end()
    }

    @Test("Says nothing of its clock if nobody knows") func silence() async throws {
        let bench = try await WireBench()
        let socket = try await bench.dealer(bench.clock)
        #expect(try await ask(socket, 1).hasDiscipline == false)
        await bench.end()
    }
}
