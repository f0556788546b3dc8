import CaptureModel
import RigProtocol
import RigWire
import Testing

@Suite struct DisciplinedClockTests {
    private let clock = DisciplinedClock<RigTimeBase>(
        reference: ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab"), bound: .nanoseconds(12_345),
        pair: WallClockPair(monotonic: RigTime(nanoseconds: -5), realtimeNanoseconds: 1_800_000_000_000_000_001))

    @Test("Returns unchanged from the wire") func roundTrip() throws {
        #expect(try DisciplinedClock(wire: clock.wire) == clock)
    }

    @Test("Ignores a program that it does not know") func unknownSource() throws {
        var wire = clock.wire
        wire.source = "white-rabbit"
        #expect(try DisciplinedClock(wire: wire) == nil)
    }

    @Test("Refuses what cannot be one", arguments: 0..<5)
    func hostile(number: Int) {
        var wire = clock.wire
        switch number {
        case 0: wire.source = ""
        case 1: wire.boundNs = -1
        case 2: wire.identity = ""
        case 3: wire.identity = "with space"
        default: wire.identity = String(repeating: "x", count: 33)
        }
        #expect(throws: WireError.self) { try DisciplinedClock(wire: wire) }
    }

    @Test("Says what narrows a bound beside the word that older readers know", arguments: ClockStatus.Source.allCases)
    func narrowing(source: ClockStatus.Source) throws {
        let status = ClockStatus(
            offset: .zero, ratePartsPerBillion: 0, roundTrip: .zero, shortestRoundTrip: .zero, source: source,
            since: RigTime(nanoseconds: 1), newest: RigTime(nanoseconds: 2))
        var wire = status.wire
        #expect(wire.source == "probes")
        #expect(wire.hasNarrowedBy == (source != .probes))
        #expect(try ClockStatus(wire: wire) == status)
        wire.narrowedBy = "white-rabbit"
        #expect(try ClockStatus(wire: wire).source == .probes)
        wire.source = "white-rabbit"
        #expect(throws: WireError.self) { try ClockStatus(wire: wire) }
    }

    @Test("Refuses a conflict with a program that it does not know, or a negative bound", arguments: 0..<4)
    func hostileConflict(number: Int) {
        var wire = ClockConflict(
            reference: clock.reference, since: RigTime(nanoseconds: 1),
            claimed: ClockConflict.Statement(offset: .seconds(1), bound: .zero),
            proven: ClockConflict.Statement(offset: .zero, bound: .zero)
        ).wire
        switch number {
        case 0: wire.source = "white-rabbit"
        case 1: wire.claimedBoundNs = -1
        case 2: wire.provenBoundNs = .min
        default: wire.identity = "\u{202E}"
        }
        #expect(throws: WireError.self) { try ClockConflict(wire: wire) }
    }
}
