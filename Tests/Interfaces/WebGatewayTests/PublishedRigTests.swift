import CaptureModel
import Foundation
import Mosquitto
import RigSecurity
import Testing

@testable import RigClient
@testable import WebGateway

@Suite struct PublishedRigTests {
    private static let start = LocalTime(nanoseconds: 1_000_000_000_000)

    private func at(_ seconds: Double) -> LocalTime { Self.start + .seconds(seconds) }

    private func rig() throws -> PublishedRig {
        let topics = MQTTTopics(prefix: "caprig", discovery: "ha", rig: try RigName("rig"))
        return PublishedRig(
            topics: topics, discovery: MQTTDiscovery(topics: topics, hasPictures: false, hasTrigger: false))
    }

    private func status(openShots: Int = 0) throws -> RigStatus {
        RigStatus(
            rigClock: RigClockID(rawValue: "clock"), now: RigTime(nanoseconds: 1), nodes: [], openShots: openShots,
            takes: [], libraryFreeBytes: 1, feedPort: 7712, software: "1.0", droppedMessages: [:],
            refusedConnections: [:], coordinatorEpoch: .random())
    }

    private func camera(
        _ id: String, _ state: DeviceCondition.State = .running, delivered: UInt64 = 0, dropped: UInt64 = 0
    ) throws -> DeviceStatus {
        var condition = DeviceCondition(state: state)
        (condition.counters.delivered, condition.counters.droppedByNode) = (delivered, dropped)
        return DeviceStatus(
            device: DeviceDescription(id: try DeviceID(id), driver: "virtual"), condition: condition)
    }

    private func object(_ messages: [MQTTMessage], _ topic: String) throws -> [String: Any] {
        let message = try #require(messages.first { $0.topic == topic })
        return try #require(try JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any])
    }

    private let camera1 = "caprig/rig/devices/n/cam1"

    @Test func `At first everything is published, and kept by the broker`() throws {
        var rig = try rig()
        let messages = rig.show(try status(), [try camera("n/cam1")], at: at(0))
        let topics = messages.map(\.topic)
        #expect(Set(topics).count == topics.count)
        for topic in [
            "caprig/rig/coordinator", "caprig/rig/state", "\(camera1)/state", "\(camera1)/figures",
            "ha/sensor/caprig_rig/n_cam1_rate/config",
        ] {
            #expect(topics.contains(topic))
        }
        #expect(messages.allSatisfy { $0.isRetained && !$0.payload.isEmpty })
    }

    @Test func `What has not changed is not published again before ten seconds`() throws {
        var rig = try rig()
        _ = rig.show(try status(), [try camera("n/cam1")], at: at(0))
        #expect(rig.show(try status(), [try camera("n/cam1", delivered: 30)], at: at(1)) == [])
        let later = rig.show(try status(), [try camera("n/cam1", delivered: 300)], at: at(10))
        #expect(later.map(\.topic).sorted() == ["\(camera1)/figures", "\(camera1)/state", "caprig/rig/state"])
    }

    @Test func `A change of state is published at once`() throws {
        var rig = try rig()
        _ = rig.show(try status(), [try camera("n/cam1")], at: at(0))
        let changed = rig.show(try status(openShots: 1), [try camera("n/cam1", .absent)], at: at(1))
        #expect(changed.map(\.topic) == ["caprig/rig/state", "\(camera1)/state"])
        let condition = try #require(try object(changed, "\(camera1)/state")["condition"] as? [String: Any])
        #expect(condition["state"] as? String == "absent")
    }

    @Test func `The frame rate is what was delivered between two figures`() throws {
        var rig = try rig()
        let first = rig.show(try status(), [try camera("n/cam1", delivered: 1000)], at: at(0))
        #expect(try object(first, "\(camera1)/figures")["framesPerSecond"] == nil)
        let second = rig.show(try status(), [try camera("n/cam1", delivered: 1299, dropped: 7)], at: at(10))
        let figures = try object(second, "\(camera1)/figures")
        #expect(figures["framesPerSecond"] as? Double == 29.9)
        #expect(figures["dropped"] as? String == "7")
        // A session that began again has no rate yet.
        let third = rig.show(try status(), [try camera("n/cam1", delivered: 5)], at: at(20))
        #expect(try object(third, "\(camera1)/figures")["framesPerSecond"] == nil)
    }

    @Test func `A skew is published with its shot, and stays`() throws {
        var rig = try rig()
        _ = rig.show(try status(), [try camera("n/cam1")], at: at(0))
        let shot = MQTTTrigger.shot(base: "b", id: "i", sent: 0)
        for messages in [
            rig.note(skewNanoseconds: -250, of: shot, by: try DeviceID("n/cam1")),
            rig.show(try status(), [try camera("n/cam1")], at: at(10)),
        ] {
            let figures = try object(messages, "\(camera1)/figures")
            #expect(figures["lastSkewNanoseconds"] as? String == "-250")
            #expect(figures["lastShot"] as? String == "\(shot)")
        }
        #expect(rig.note(skewNanoseconds: 1, of: shot, by: try DeviceID("n/other")) == [])
    }

    @Test func `What concerns a device that is removed is removed from the broker`() throws {
        var rig = try rig()
        _ = rig.show(try status(), [try camera("n/cam1"), try camera("n/cam2")], at: at(0))
        let removed = rig.show(try status(), [try camera("n/cam2")], at: at(1))
        #expect(removed.allSatisfy { $0.payload.isEmpty && $0.isRetained })
        #expect(
            removed.map(\.topic).sorted() == [
                "\(camera1)/figures", "\(camera1)/state", "ha/sensor/caprig_rig/n_cam1_drops/config",
                "ha/sensor/caprig_rig/n_cam1_rate/config", "ha/sensor/caprig_rig/n_cam1_skew/config",
                "ha/sensor/caprig_rig/n_cam1_state/config",
            ])
    }

    @Test func `What the broker kept of devices that are gone is removed once the devices are known`() throws {
        var rig = try rig()
        let (stale, own) = ("ha/sensor/caprig_rig/n_old_state/config", "ha/sensor/caprig_rig/n_cam1_state/config")
        #expect(rig.judge(keptDiscovery: stale) == [])
        #expect(rig.judge(keptDiscovery: own) == [])
        #expect(rig.judge(keptState: try DeviceID("n/old")) == [])
        let removals = rig.show(try status(), [try camera("n/cam1")], at: at(0)).filter(\.payload.isEmpty)
        #expect(
            removals.map(\.topic) == [
                stale, "caprig/rig/devices/n/old/state", "caprig/rig/devices/n/old/figures",
            ])
        #expect(rig.judge(keptDiscovery: stale) == [.removal(of: stale)])
        #expect(rig.judge(keptDiscovery: own) == [])
        #expect(rig.judge(keptState: try DeviceID("n/cam1")) == [])
    }

    @Test func `A silent coordinator is told once, and once more that it is back`() throws {
        var rig = try rig()
        _ = rig.show(try status(), [], at: at(0))
        #expect(rig.coordinatorIsSilent().map { String(decoding: $0.payload, as: UTF8.self) } == ["offline"])
        #expect(rig.coordinatorIsSilent() == [])
        let back = rig.show(try status(), [], at: at(1))
        #expect(back.map { String(decoding: $0.payload, as: UTF8.self) } == ["online"])
    }

    @Test func `When Home Assistant starts, it is told every entity once more`() throws {
        var rig = try rig()
        let first = rig.show(try status(), [try camera("n/cam1")], at: at(0)).filter { $0.topic.hasPrefix("ha/") }
        #expect(Set(rig.repeatAnnouncements()) == Set(first))
        #expect(first.count == 5)
    }
}
