import CaptureModel
import RigDocuments
import Testing

@Suite struct EventDocumentTests {
    @Test("Has its times and its number as strings") func all() throws {
        let event = RigEvent(
            .sceneChanged, realtimeNanoseconds: 1_795_256_143_250_000_000, local: LocalTime(nanoseconds: .max),
            rig: BoundedRigTime(time: RigTime(nanoseconds: 9_007_199_254_740_993), bound: .nanoseconds(40)),
            device: try DeviceID("n1/cam1"), shot: try SampleIDs.shot(), details: ["count": "3"])
        let feed = FeedEvent(
            coordinatorEpoch: try SampleIDs.epoch(), sequence: .max, node: try NodeName("n1"),
            source: NumberedEvent(epoch: try SampleIDs.epoch(), sequence: 1, event: event))
        let read = try ReadDocument(EventDocument(feed))
        #expect(
            read.members() == [
                "boundNanoseconds", "coordinatorEpoch", "details", "device", "localNanoseconds", "name", "node",
                "realtime", "rigNanoseconds", "sequence", "shot",
            ])
        #expect(read.numbers.isEmpty)
        #expect(read.texts("sequence") == ["18446744073709551615"])
        #expect(read.texts("localNanoseconds") == ["9223372036854775807"])
        #expect(read.texts("rigNanoseconds") == ["9007199254740993"] && read.texts("boundNanoseconds") == ["40"])
        #expect(read.texts("realtime") == ["2026-11-21T10:15:43.250000000Z"])
    }

    @Test("Omits the rig time that a node does not know") func unsynchronized() throws {
        let event = RigEvent(.device(.running), realtimeNanoseconds: 0, local: LocalTime(nanoseconds: 1))
        let feed = FeedEvent(
            coordinatorEpoch: try SampleIDs.epoch(), sequence: 1, node: nil,
            source: NumberedEvent(epoch: try SampleIDs.epoch(), sequence: 1, event: event))
        #expect(
            try ReadDocument(EventDocument(feed)).members() == [
                "coordinatorEpoch", "details", "localNanoseconds", "name", "realtime", "sequence",
            ])
    }
}
