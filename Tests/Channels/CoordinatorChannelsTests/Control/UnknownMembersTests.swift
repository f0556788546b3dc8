import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct UnknownMembersTests {
    @Test("Counts members of an agent's reports that this version does not know, and drops nothing")
    func newerAgent() async throws {
        let bench = try await WireBench()
        var agent = try await FakeAgent(bench, node: "north")
        _ = try await agent.join()
        let format = VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .seconds(1) / 30)
        let resolved = ResolvedPhotoSettings(
            width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
        var generator = SeededGenerator(seed: 5)
        var result = WirePrepareResult()
        result.shotID = ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator).wire
        result.device = "cam"
        result.armed = #"{"weather":"rain","wind":{"speed":3},"# + resolved.wire.dropFirst()
        for _ in 0..<3 { try await agent.send(.prepareResult(result)) }
        let client = try await bench.dealer(bench.client)
        var dropped: [String: UInt64] = [:]
        while dropped["control.unknownMembers", default: 0] < 6 {
            dropped = try #require(try await bench.status(client)).droppedMessages
        }
        #expect(dropped == ["control.unknownMembers": 6])
        await bench.end()
    }
}
