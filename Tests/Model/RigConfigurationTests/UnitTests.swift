import CameraKit
import CaptureBackends
import RigConfiguration
import Testing

@Suite struct UnitTests {
    @Test(
        "A duration means another time than it says",
        arguments: [
            ("3 s", Duration.seconds(3)), ("3s", .seconds(3)), ("250 ms", .milliseconds(250)),
            ("1.5 s", .milliseconds(1500)),
            ("0.0000010 s", .microseconds(1)), ("700000 us", .milliseconds(700)), ("700000 µs", .milliseconds(700)),
            ("0.5 min", .seconds(30)), ("+2 s", .seconds(2)), ("600000001 ns", .nanoseconds(600_000_001)),
        ])
    func durations(text: String, duration: Duration) throws {
        let head = duration < .milliseconds(500) ? [] : ["ring: { depth: \(text) }"]
        let device = head.isEmpty ? ["readout: \(text)"] : []
        let agent = try AgentConfiguration.parse(
            text: Text.agent(head, device: device), file: "a", sources: Backends.all.sources)
        #expect(head.isEmpty ? agent.devices.first?.stamps.readout == duration : agent.ring.depth == duration)
    }

    @Test(
        "A size means another number of bytes than it says",
        arguments: [
            ("1024 B", 1024), ("2 kB", 2000), ("2 KiB", 2048), ("1.5 MiB", 1_572_864), ("2 GB", 2_000_000_000),
            ("2 GiB", 2_147_483_648), ("0.001 TB", 1_000_000_000), ("1 TiB", 1 << 40), ("512MiB", 512 << 20),
        ] as [(String, Int64)])
    func byteCounts(text: String, bytes: Int64) throws {
        let agent = try AgentConfiguration.parse(
            text: Text.agent(["spool: { limit: \(text) }"]), file: "a", sources: Backends.all.sources)
        #expect(agent.spool.limit.bytes == bytes)
    }

    @Test("A printed size is hard to read")
    func printedSizes() {
        #expect(ByteCount.mebibytes(512).description == "512 MiB")
        #expect(ByteCount(2_000_000_000).description == "2 GB")
        #expect(ByteCount(0).description == "0 B")
        #expect(ByteCount(1025).description == "1025 B")
        #expect(ByteCount(-1).bytes == 0)
        #expect(TransferRate.bytesPerSecond(40_000_000).description == "40 MB/s")
    }
}
