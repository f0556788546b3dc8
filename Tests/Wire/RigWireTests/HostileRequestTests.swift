import CaptureModel
import CaptureTestSupport
import Foundation
import RigProtocol
import RigWire
import Testing

@Suite("A client or node can bring the coordinator down with a trigger or an event")
struct HostileRequestTests {
    private func trigger() throws -> WireTrigger {
        var generator = SeededGenerator(seed: 9)
        var trigger = try generator.triggerRequest()
        trigger.request.selection = try generator.selection()
        trigger.request.selection.choice = .first([generator.pair()], per: .node)
        return trigger.wire
    }

    @Test(arguments: [
        Hostile<WireTrigger>("shot_id", "empty") { $0.shotID = Data() },
        Hostile("shot_id", "too long") { $0.shotID.append(0) },
        Hostile("selection", "absent") { $0.clearSelection() },
        Hostile("settings", "absent") { $0.clearSettings() },
        Hostile("quality", "0") { $0.settings.quality = 0 },
        Hostile("time", "absent") { $0.time = nil },
        Hostile("realtime_ns", "negative") { $0.realtimeNs = -1 },
        Hostile("timeout_ns", "negative") { $0.timeoutNs = -1 },
        Hostile("timeout_ns", "largest") { $0.timeoutNs = .max },
        Hostile("media_type", "unknown") { $0.selection.mediaType = "smell" },
        Hostile("nodes", "a path") { $0.selection.nodes = ["../x"] },
        Hostile("nodes", "too many") { $0.selection.nodes = Array(repeating: "a", count: 4097) },
        Hostile("node", "in a device, empty") { $0.selection.devices = [WireDeviceId()] },
        Hostile("devices", "too many") { $0.selection.devices = Array(repeating: WireDeviceId(), count: 4097) },
        Hostile("labels", "too many") { $0.selection.labels = Array(repeating: "a", count: 33) },
        Hostile("labels", "an empty one") { $0.selection.labels = [""] },
        Hostile("choice", "absent") { $0.selection.choice = nil },
        Hostile("per", "unknown") { $0.selection.first.per = "house" },
        Hostile("pairs", "too many") { $0.selection.matching.pairs = Array(repeating: .init(), count: 33) },
        Hostile("type", "with a space") { $0.selection.first.pairs[0].type = "a b" },
        Hostile("position", "with an escape") { $0.selection.first.pairs[0].position = "\u{1B}c" },
    ])
    func trigger(hostile: Hostile<WireTrigger>) throws {
        hostile.check(try trigger()) { _ = try TriggerRequest(wire: $0) }
    }

    @Test(arguments: [
        Hostile<WireListShots>("devices", "a path") { $0.devices = ["../x"] },
        Hostile("devices", "empty") { $0.devices = [""] },
        Hostile("devices", "too many") { $0.devices = Array(repeating: "*", count: 65) },
        Hostile("labels", "an empty one") { $0.labels = [""] },
        Hostile("outcomes", "unknown") { $0.outcomes = ["fine"] },
        Hostile("outcomes", "too many") { $0.outcomes = Array(repeating: "done", count: 33) },
        Hostile("statuses", "unknown") { $0.statuses = ["fine"] },
        Hostile("title", "too long") { $0.title = String(repeating: "a", count: 257) },
        Hostile("text", "too long") { $0.text = String(repeating: "a", count: 257) },
    ])
    func search(hostile: Hostile<WireListShots>) throws {
        hostile.check(WireListShots()) { _ = try ShotQuery(wire: $0) }
    }

    @Test("A lead or time at the end of the number range overflows")
    func extremeTimes() throws {
        var wire = try trigger()
        wire.leadNs = .min
        #expect(try TriggerRequest(wire: wire).request.time == .soon(lead: nil))
        wire.relativeNs = .min
        #expect(try TriggerRequest(wire: wire).request.time == .relative(nanoseconds: .min))
        wire.realtimeNs = .max
        #expect(try TriggerRequest(wire: wire).request.time == .absolute(realtimeNanoseconds: .max))
    }

    @Test(arguments: [
        Hostile<WireFeedEvent>("name", "empty") { $0.event.name = "" },
        Hostile("name", "with a NUL, which would end the topic") { $0.event.name = "a\0b" },
        Hostile("name", "too long") { $0.event.name = String(repeating: "a", count: 57) },
        Hostile("rig_ns", "absent beside a bound") {
            $0.event.boundNs = 1
            $0.event.clearRigNs()
        },
        Hostile("bound_ns", "absent beside a rig time") {
            $0.event.rigNs = 1
            $0.event.clearBoundNs()
        },
        Hostile("bound_ns", "negative") {
            $0.event.rigNs = 1
            $0.event.boundNs = -1
        },
        Hostile("node", "of the device, a path") { $0.event.device.node = "/" },
        Hostile("shot_id", "a short one") { $0.event.shotID = Data([1]) },
        Hostile("details", "too many") { event in
            for index in 0..<17 { event.event.details["\(index)"] = "" }
        },
        Hostile("details", "an empty key") { $0.event.details = ["": ""] },
        Hostile("event", "absent") { $0.clearEvent() },
        Hostile("coordinator_epoch", "0") { $0.coordinatorEpoch = 0 },
        Hostile("sequence", "0") { $0.sequence = 0 },
        Hostile("sequence", "largest") { $0.sequence = .max },
        Hostile("node", "a path") { $0.node = "a/b" },
        Hostile("source_epoch", "0") { $0.sourceEpoch = 0 },
        Hostile("source_sequence", "0") { $0.sourceSequence = 0 },
    ])
    func event(hostile: Hostile<WireFeedEvent>) throws {
        var generator = SeededGenerator(seed: 10)
        hostile.check(try generator.feedEvent().wire) { _ = try FeedEvent(wire: $0) }
    }

    @Test("An event with too many facts is refused by the coordinator and repeated for ever")
    func talkativeEvent() throws {
        var generator = SeededGenerator(seed: 11)
        var event = try generator.event()
        event.details = Dictionary(
            uniqueKeysWithValues: (10..<50).map { ("k\($0)", String(repeating: "x", count: 900)) })
        let arrived = try RigEvent(wire: event.wire)
        #expect(arrived.details.keys.sorted() == (10..<26).map { "k\($0)" })
        #expect(arrived.details.values.allSatisfy { $0.utf8.count == WireLimits.reasonByteCount })
    }
}
