import CaptureModel
import RigProtocol
import RigWire
import Testing

@Suite("A node's pressure is told otherwise than it is, or harms who reads it") struct SystemPressureTests {
    private static let hot = SystemPressure(
        level: .shutdown, factors: [.temperature, SystemPressure.Factor(rawValue: "dust")], reason: "soc is at 106 °C")

    @Test func roundTrip() throws {
        for level in SystemPressure.Level.allCases {
            var pressure = Self.hot
            pressure.level = level
            #expect(try SystemPressure(wire: pressure.wire) == pressure)
        }
        #expect(try SystemPressure(wire: SystemPressure().wire) == SystemPressure())
    }

    @Test(arguments: [
        Hostile<WireNodePressure>("level", "absent") { $0.level = "" },
        Hostile("level", "unknown") { $0.level = "melting" },
        Hostile("factors", "with a space") { $0.factors = ["a b"] },
        Hostile("factors", "empty") { $0.factors = [""] },
        Hostile("factors", "33") { $0.factors = Array(repeating: "cpu", count: 33) },
    ])
    func hostile(fault: Hostile<WireNodePressure>) {
        fault.check(Self.hot.wire) { _ = try SystemPressure(wire: $0) }
    }

    @Test func reasonIsCut() throws {
        var wire = Self.hot.wire
        wire.reason = String(repeating: "\u{1B}", count: 100_000)
        let reason = try #require(try SystemPressure(wire: wire).reason)
        #expect(reason.utf8.count <= WireLimits.reasonByteCount && !reason.contains("\u{1B}"))
    }
}
