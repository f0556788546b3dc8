import CaptureModel
import CaptureTestSupport
import RigTestSupport
import Testing

@testable import RigCore

/// Requests about devices that a client repeats under one id.
@Suite(.timeLimit(.minutes(1))) struct DeviceRepeatTests {
    private let device: DeviceID

    init() throws {
        device = try DeviceID("north/cam")
    }

    private func request(_ command: DeviceCommand, id: UInt64) -> DeviceRequest {
        DeviceRequest(device: device, command: command, id: id)
    }

    private func cut() throws -> DeviceReply {
        let stopped = try Samples.device("north/cam", state: .stopped)
        return .session(
            SessionResult(device: device, condition: stopped.condition, changes: ["the recording is cut off"]))
    }

    /// The node carries the request out.
    private func answer(_ bench: RigBench, _ reply: DeviceReply) async throws {
        let number = try #require(await bench.rig.deviceWaiters.keys.first)
        await bench.rig.accept(
            .deviceAnswer(DeviceAnswer(number: number, devices: [], outcome: .success(reply))), from: device.node)
    }

    @Test func `a request that is repeated is sent to the node once, and each repeat has its answer`() async throws {
        let bench = try await RigBench(folder: try TemporaryFolder())
        _ = try await bench.hello("north")
        let request = request(.stopSession(force: true), id: 77)
        let first = await bench.rig.request(request)
        let joining = await bench.rig.request(request)
        let reply = try cut()
        try await answer(bench, reply)
        let late = await bench.rig.request(request)
        for outcomes in [first, joining, late] {
            for await outcome in outcomes { #expect(outcome == .success(reply)) }
        }
        let sent = bench.links.asked.value.sent.count { if case .device = $0.command { true } else { false } }
        #expect(sent == 1)
        await bench.end()
    }

    @Test func `of endless repeats the newest are answered and the others refused`() async throws {
        let bench = try await RigBench(folder: try TemporaryFolder())
        _ = try await bench.hello("north")
        var streams: [AsyncStream<DeviceRelay.Outcome>] = []
        for _ in 0..<20 { streams.append(await bench.rig.request(request(.startSession, id: 7))) }
        let number = try #require(await bench.rig.deviceWaiters.keys.first)
        #expect(await bench.rig.deviceWaiters[number]?.count == 8)
        try await answer(bench, try cut())
        var codes: [CaptureProblem.Code?] = []
        for stream in streams {
            for await outcome in stream {
                if case .failure(let problem) = outcome { codes.append(problem.code) } else { codes.append(nil) }
            }
        }
        #expect(codes == Array(repeating: .conflict, count: 12) + Array(repeating: nil, count: 8))
        await bench.end()
    }
}
