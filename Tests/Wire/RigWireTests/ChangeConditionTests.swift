import CaptureModel
import FoundationEssentials
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

@Suite struct ChangeConditionTests {
    private static func version(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }

    private func condition(_ bytes: UInt8...) throws -> ChangeCondition {
        ChangeCondition(try bytes.map { try ContentDigest(wire: Self.version($0)) })
    }

    @Test func `Round-trips a condition with its change, also one that never holds`() throws {
        for condition in [try condition(), try condition(1), try condition(1, 2)] {
            let wire = condition.wire(of: .releaseHold(.with { $0.overrides = "ben" }))
            let read = try WireCoding.client.decode(
                WireConditionalChange.self, from: try WireCoding.client.encode(wire))
            #expect(try ChangeCondition(wire: read) == condition)
            #expect(read.change.releaseHold.overrides == "ben")
        }
    }

    @Test(arguments: [
        Hostile<WireConditionalChange>("versions", "too many") {
            $0.versions = [Data](repeating: ChangeConditionTests.version(1), count: 17)
        },
        Hostile("versions", "empty") { $0.versions.append(Data()) },
        Hostile("versions", "a byte too short") { $0.versions[0].removeLast() },
        Hostile("versions", "a byte too long") { $0.versions[0].append(1) },
    ])
    func `Refuses a hostile condition`(hostile: Hostile<WireConditionalChange>) throws {
        hostile.check(try condition(1).wire(of: .releaseHold(.init()))) { _ = try ChangeCondition(wire: $0) }
    }

    @Test func `A condition holds for its versions, and without any never`() throws {
        let (one, two) = (try condition(1).versions[0], try condition(2).versions[0])
        #expect(try condition(1).holds(for: one) && condition(2, 1).holds(for: one))
        #expect(try !condition(1).holds(for: two) && !condition().holds(for: one))
    }

    @Test(arguments: [1, 31, 33, 64])
    func `A version has 32 bytes, or is absent`(count: Int) throws {
        let reader = FieldReader("ShotDocument")
        #expect(try reader.version(Data(), "version") == nil)
        #expect(try reader.version(Self.version(7), "version")?.bytes == [UInt8](repeating: 7, count: 32))
        let error = #expect(throws: WireError.self) {
            try reader.version(Data(repeating: 1, count: count), "version")
        }
        #expect(error?.field == "version")
    }
}
