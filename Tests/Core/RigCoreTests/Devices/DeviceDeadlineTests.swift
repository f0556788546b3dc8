import CaptureModel
import CaptureTestSupport
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(1))) struct DeviceDeadlineTests {
    @Test("A node that stays silent keeps a client waiting after the deadline it asked for")
    func deadline() async throws {
        let clock = ManualTimeSource()
        let start = clock.now()
        let bench = try await RigBench(folder: try TemporaryFolder(), clock: clock)
        _ = try await bench.hello("north")
        let device = try DeviceID("north/cam")
        let outcomes = await bench.rig.request(
            DeviceRequest(device: device, timeout: .seconds(4), command: .startSession))
        await bench.links.wait(forNodes: [device.node]) { if case .device = $0 { true } else { false } }
        let waiting = Task { () -> DeviceRelay.Outcome? in
            for await outcome in outcomes { return outcome }
            return nil
        }
        // The watch over nodes, and the deadline of the request.
        while await bench.rig.relay.count > 0 {
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .milliseconds(100))
        }
        #expect(clock.now() - start >= .seconds(4))
        guard case .failure(let problem)? = await waiting.value else {
            Issue.record("an answer nobody gave")
            return
        }
        #expect(problem.code == .nodeUnreachable)
        await bench.end()
    }
}
