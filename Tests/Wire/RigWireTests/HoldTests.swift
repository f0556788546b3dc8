import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import SwiftProtobuf
import Testing

@Suite struct HoldTests {
    private static let long = String(repeating: "ä", count: 129)

    private func status() throws -> HoldStatus {
        HoldStatus(
            RigHold(
                holder: try #require(Principal(recorded: "anna", isAuthenticated: true)), note: "light",
                taken: RigTime(nanoseconds: 9_007_199_254_740_993), ends: RigTime(nanoseconds: .max)),
            endsRealtimeNanoseconds: .min)
    }

    private func throughBytes<M: SwiftProtobuf.Message>(_ message: M) throws -> M {
        try WireCoding.client.decode(M.self, from: try WireCoding.client.encode(message))
    }

    @Test func `Round-trips a hold and the requests for it`() throws {
        #expect(try HoldStatus(wire: throughBytes(try status().wire)) == (try status()))
        var unproved = try status()
        unproved.hold.holder = try #require(Principal(claimed: "anna@studio-1"))
        unproved.hold.note = ""
        #expect(try HoldStatus(wire: throughBytes(unproved.wire)) == unproved)
        for (note, overrides) in [(nil, nil), ("", "ben"), ("light", nil)] as [(String?, String?)] {
            let request = HoldRequest(duration: .seconds(10), note: note, overrides: overrides)
            #expect(try HoldRequest(wire: throughBytes(request.wire)) == request)
        }
    }

    @Test func `A hold that an earlier version has accepted is shown as printable text, and can be overridden`() throws
    {
        var wire = try status().wire
        wire.note = "a\u{202E}b"
        #expect(try HoldStatus(wire: throughBytes(wire)).hold.note == "a\u{FFFD}b")
        wire.note = String(repeating: "\u{2066}", count: 85) + "a"
        #expect(try HoldStatus(wire: throughBytes(wire)).hold.note.utf8.count == 256)
        wire.holder = "anna\u{202E}"
        let holder = try HoldStatus(wire: throughBytes(wire)).hold.holder.name
        let request = HoldRequest(duration: .seconds(10), overrides: holder)
        #expect(try HoldRequest(wire: throughBytes(request.wire)).overrides == "anna\u{202E}")
    }

    @Test(arguments: [
        Hostile<WireHold>("holder", "absent") { $0.holder = "" },
        Hostile("holder", "too long") { $0.holder = String(repeating: "a", count: 129) },
        Hostile("holder", "an escape sequence") { $0.holder = "a\u{1B}[2J" },
        Hostile("note", "two lines") { $0.note = "a\nb" },
        Hostile("note", "too long") { $0.note = Self.long },
        Hostile("taken_rig_ns", "negative") { $0.takenRigNs = -1 },
        Hostile("ends_rig_ns", "smallest") { $0.endsRigNs = .min },
        Hostile("ends_rig_ns", "before it begins") { ($0.takenRigNs, $0.endsRigNs) = (2, 1) },
    ])
    func `Refuses a hostile hold`(hostile: Hostile<WireHold>) throws {
        hostile.check(try status().wire) { _ = try HoldStatus(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireTakeHold>("duration_ns", "absent") { $0.durationNs = 0 },
        Hostile("duration_ns", "negative") { $0.durationNs = -10_000_000_000 },
        Hostile("duration_ns", "a nanosecond too short") { $0.durationNs = 9_999_999_999 },
        Hostile("duration_ns", "a nanosecond too long") { $0.durationNs = 14_400_000_000_001 },
        Hostile("duration_ns", "largest") { $0.durationNs = .max },
        Hostile("note", "too long") { $0.note = Self.long },
        Hostile("note", "NUL") { $0.note = "\0" },
        Hostile("note", "direction of text") { $0.note = "a\u{202E}b" },
        Hostile("overrides", "too long") { $0.overrides = String(repeating: "a", count: 129) },
        Hostile("overrides", "control characters") { $0.overrides = "a\u{7F}" },
        Hostile("overrides", "two lines") { $0.overrides = "a\nb" },
    ])
    func `Refuses a hostile request`(hostile: Hostile<WireTakeHold>) throws {
        let good = HoldRequest(duration: .seconds(60), note: "light", overrides: "ben").wire
        hostile.check(good) { _ = try HoldRequest(wire: $0) }
    }
}
