import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

@Suite("A peer can bring a daemon down with bytes that are no message")
struct RandomBytesTests {
    /// Reads bytes as everything that could come in; what is refused is refused by an error.
    private func readAsEverything(_ bytes: [UInt8]) -> Int {
        var accepted = 0
        func read<M: SwiftProtobuf.Message>(_ type: M.Type, _ convert: (M) throws -> Void) {
            do throws(WireError) {
                let message = try WireCoding.control.decode(type, from: bytes)
                if (try? convert(message)) != nil { accepted += 1 }
            } catch {
                #expect(error.code == .malformed)
            }
        }
        read(WireAgentMessage.self) { message in
            _ = try message.hello.devices.map(DeviceStatus.init(wire:))
            _ = try message.hello.inventory.map(CaptureReport.init(wire:))
            _ = try message.events.events.map(NumberedEvent.init(wire:))
            _ = CaptureProblem(wire: message.missed.problem)
        }
        read(WireCaptureReport.self) { _ = try CaptureReport(wire: $0) }
        read(WireDeviceStatus.self) { _ = try DeviceStatus(wire: $0) }
        read(WireTrigger.self) { _ = try TriggerRequest(wire: $0) }
        read(WireFeedEvent.self) { _ = try FeedEvent(wire: $0) }
        read(WireFileKey.self) { _ = try FileKey(wire: $0) }
        read(WireProblem.self) { _ = CaptureProblem(wire: $0) }
        _ = try? FeedFrame(bytes: bytes).message()
        return accepted
    }

    @Test(arguments: 1...20)
    func noise(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            _ = readAsEverything(generator.list(0...200) { UInt8.random(in: 0...255, using: &$0) })
        }
    }

    @Test(arguments: 1...20)
    func spoiledMessages(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let coding = WireCoding.control
        let originals = [
            try coding.encode(generator.captureReport().wire), try coding.encode(generator.deviceStatus().wire),
            try coding.encode(generator.triggerRequest().wire), try coding.encode(generator.feedEvent().wire),
        ]
        for original in originals {
            // The unspoiled one shows that the reading reaches the conversions.
            #expect(readAsEverything(original) > 0)
            for _ in 0..<20 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
                _ = readAsEverything(bytes)
                _ = readAsEverything(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
            }
        }
    }

    @Test func endlessNesting() {
        // Group start tags of an unknown field, as deep as the channel lets them be.
        let bytes = [UInt8](repeating: 0x7B, count: WireCoding.control.maximumByteCount)
        #expect(throws: WireError.self) { try WireCoding.control.decode(WireAgentMessage.self, from: bytes) }
    }
}
