import CaptureModel
import Testing

@testable import WebGateway

@Suite struct ShotSpreadsTests {
    private func event(
        _ shot: ShotID, spread: Int64, name: EventName = .shotSettled, realtime: Int64 = 5
    ) throws -> RigEvent {
        let simultaneity = Simultaneity(
            spread: .nanoseconds(spread), bound: .nanoseconds(7), earliest: try DeviceID("n1/cam1"),
            latest: try DeviceID("n2/cam1"))
        return RigEvent(
            name, realtimeNanoseconds: realtime, local: LocalTime(nanoseconds: 1), shot: shot,
            details: simultaneity.eventDetails.merging(["status": "complete"]) { own, _ in own })
    }

    private func ids(_ count: Int) -> [ShotID] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { ShotID(unixMilliseconds: Int64($0), using: &generator) }
    }

    @Test("Has each settled shot once, in order, as its latest revision says") func order() throws {
        var spreads = ShotSpreads()
        let ids = ids(2)
        for event in try [
            event(ids[0], spread: 1), event(ids[1], spread: 2), event(ids[0], spread: 3, realtime: 9),
            event(ids[1], spread: 4, name: EventName(rawValue: "shot.accepted")),
        ] { spreads.add(event) }
        #expect(spreads.entries.map(\.shot) == ids)
        #expect(spreads.entries.map(\.simultaneity.spreadNanoseconds) == [3, 2])
        #expect(spreads.entries.map(\.realtimeNanoseconds) == [5, 5])
    }

    @Test("Keeps the newest shots, also when all events come again or an old shot is revised") func bounded() throws {
        var spreads = ShotSpreads()
        let ids = ids(ShotSpreads.limit + 3)
        for id in ids + ids.prefix(2) {
            spreads.add(try event(id, spread: 1))
            #expect(spreads.entries.map(\.shot) == spreads.entries.map(\.shot).sorted())
        }
        #expect(spreads.entries.map(\.shot) == Array(ids.suffix(ShotSpreads.limit)))
    }

    @Test("Forgets a shot whose pictures cannot be compared in a later revision") func revised() throws {
        var spreads = ShotSpreads()
        let ids = ids(2)
        for id in ids { spreads.add(try event(id, spread: 1)) }
        var revision = try event(ids[0], spread: 1)
        revision.details = ["status": "partial"]
        spreads.add(revision)
        #expect(spreads.entries.map(\.shot) == [ids[1]])
    }

    @Test("Forgets a shot that is deleted") func deleted() throws {
        var spreads = ShotSpreads()
        let ids = ids(2)
        for id in ids { spreads.add(try event(id, spread: 1)) }
        spreads.add(RigEvent(.shotDeleted, realtimeNanoseconds: 6, local: LocalTime(nanoseconds: 2), shot: ids[0]))
        #expect(spreads.entries.map(\.shot) == [ids[1]])
    }

    @Test(
        "Ignores details that are not a spread of two cameras",
        arguments: [
            ("spreadNanoseconds", "-1"), ("spreadNanoseconds", "x"), ("spreadBoundNanoseconds", ""),
            ("latest", "nobody"),
            ("earliest", ""),
        ])
    func hostile(_ member: String, _ value: String) throws {
        var spreads = ShotSpreads()
        var event = try event(ids(1)[0], spread: 1)
        event.details[member] = value
        spreads.add(event)
        event.details[member] = nil
        spreads.add(event)
        #expect(spreads.entries.isEmpty)
    }
}
